#!/usr/bin/env bash
# Measured rows shared out among workers: the same bytes as one worker's, and the same exit codes.
#   usage: validate_test.sh ECHO_SWEEP STEPS.csv
set -euo pipefail
program=$(realpath "$1") steps=$(realpath "$2")
. "$(dirname "$(realpath "$0")")/mpi_environment.sh"

{ echo gpu,library,dtype,m,n,k,latency_us
  for m in 512 1024 2048 4096 8192 16384 32768; do echo "h100-sxm,sglang,bfloat16,$m,4096,4096,$((m / 20))"; done; } >gemm.csv

for words in "" "--json --worst 9" "--by all --worst 3" "--markdown"; do
  # shellcheck disable=SC2086
  "$program" validate "$steps" gemm.csv $words >one.txt
  for workers in 2 4; do
    # shellcheck disable=SC2086
    mpirun -n $workers "$program" validate "$steps" gemm.csv $words >many.txt
    cmp one.txt many.txt || { echo "FAILED: $workers workers, $words"; exit 1; }
  done
done

"$program" validate "$steps" --csv one.csv >/dev/null
mpirun -n 3 "$program" validate "$steps" --csv many.csv >/dev/null
cmp one.csv many.csv || { echo "FAILED: rows of three workers"; exit 1; }

# More workers than rows.
"$program" validate gemm.csv >one.txt
mpirun -n 9 "$program" validate gemm.csv >many.txt
cmp one.txt many.txt || { echo "FAILED: nine workers, seven rows"; exit 1; }

# A mistake is told once, and every worker leaves.
sed -i 's/,2048,/,many,/' gemm.csv
code=0
mpirun -n 4 "$program" validate gemm.csv >/dev/null 2>errors.txt || code=$?
[ "$code" = 2 ] && [ "$(grep -c 'gemm.csv:4:26: error' errors.txt)" = 1 ] || { cat errors.txt; echo "FAILED: mistake, $code"; exit 1; }
code=0
mpirun -n 3 "$program" validate "$steps" --expect nothing >/dev/null 2>errors.txt || code=$?
[ "$code" = 4 ] && [ "$(grep -c 'no row of "nothing"' errors.txt)" = 1 ] || { cat errors.txt; echo "FAILED: expected, $code"; exit 1; }
code=0
mpirun -n 3 "$program" validate "$steps" --csv no/such/folder.csv >/dev/null 2>errors.txt || code=$?
[ "$code" = 5 ] || { cat errors.txt; echo "FAILED: no folder, $code"; exit 1; }
echo "validate under MPI: ok"
