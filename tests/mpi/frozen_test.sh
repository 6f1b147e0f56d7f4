#!/usr/bin/env bash
# A launch that is stopped while it writes the file, for longer than another host watches its lock, and then goes on.
# HDF5's own locks are off, as on network file systems that have none.
# usage: frozen_test.sh FAKE_SWEEP
set -euo pipefail
program=$(realpath "$1")
. "$(dirname "$0")/mpi_environment.sh"
export HDF5_USE_FILE_LOCKING=FALSE
frozen=
trap '[[ -z $frozen ]] || kill -KILL "$frozen" 2>/dev/null; rm -rf "$folder" "$OMPI_MCA_orte_tmpdir_base"' EXIT
ids=60000

digest() { sed -n 's/^rows_digest //p' "$1"; }

"$program" one.h5 $ids >whole
[[ $(digest whole) =~ ^[0-9a-f]{32}$ ]] || fail "no digest"

# A journal of all rows: what follows is assembly alone.
freeze_while_writing() {
  "$program" out.h5 $ids --host n1 --beat-ms 50 >first 2>&1 &
  frozen=$!
  for _ in $(seq 2000); do
    compgen -G 'out.h5.*.tmp' >/dev/null && break
    sleep 0.005
  done
  compgen -G 'out.h5.*.tmp' >/dev/null || fail "it wrote no file"
  kill -STOP "$frozen"
}

freeze_while_writing
"$program" out.h5 $ids --host n2 --beat-ms 50 >second 2>&1 || fail "the second launch: $(cat second)"
[[ $(digest second) == "$(digest whole)" ]] || fail "another digest"
kill -CONT "$frozen"
code=0
wait "$frozen" || code=$?
frozen=
[[ $code == 5 ]] || fail "the frozen launch ended with $code: $(cat first)"
"$program" out.h5 $ids >third 2>&1 || fail "a relaunch: $(cat third)"
grep -q '^complete' third || fail "the file was not left whole: $(cat third)"
[[ $(digest third) == "$(digest whole)" ]] || fail "the file was changed"
cmp <(h5dump -d /step_time one.h5 | tail -n +2) <(h5dump -d /step_time out.h5 | tail -n +2) || fail "other rows"
[[ -z $(find . -name '*.lock*' -o -name '*.tmp' -o -name '*.journal') ]] || fail "litter: $(ls -A)"
echo "a frozen launch leaves the finished file"
