#!/usr/bin/env bash
# The same sweep must give the same rows whatever was built and however many workers ran it.
# usage: same_digest.sh SWEEP.toml POINTS PROGRAM...      exit 1 when two digests differ
set -euo pipefail
sweep=$1 points=$2
shift 2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

digests=()
for program in "$@"; do
  for workers in 1 2 4; do
    file=$folder/$workers.h5
    mpirun -n "$workers" "$program" "$sweep" --limit "$points" --fresh --progress none -o "$file" >"$folder/out"
    digest=$(sed -n 's/^rows_digest \([0-9a-f]*\).*/\1/p' "$folder/out")
    printf '%s  %s worker(s)  %s\n' "${digest:-none}" "$workers" "$program"
    [[ -n $digest ]]
    digests+=("$digest")
  done
done
[[ $(printf '%s\n' "${digests[@]}" | sort -u | wc -l) == 1 ]]
