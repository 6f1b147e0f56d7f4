#!/usr/bin/env bash
# Workers that share measured kernels agree with one that has them to itself; a broken profile stops all of them.
# usage: profile_test.sh ECHO_SWEEP SWEEP.toml
set -euo pipefail
program=$(realpath "$1") sweep=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/mpi_environment.sh"

digest() { sed -n 's/^rows_digest \([0-9a-f]*\).*/\1/p' out; }

# Products of many shapes, so that some are measured, some lie between, and some are far from all.
{
  echo gpu,kind,precision,layout,fp32_accumulate,m,n,k,duration_us
  for m in 1024 2048 4096; do for n in 1536 3072 6144 12288; do for layout in tn nn nt; do
    echo "h800,gemm,bf16,$layout,$([[ $layout == nt ]] && echo yes || echo no),$m,$n,12288,$((m * n / 20000))"
  done; done; done
} >gemm.csv
"$program" profile import gemm.csv -o gemm.h5 >out 2>err || { cat out err; fail "import: exit $?"; }
timeout 60 "$program" "$sweep" -o plain.h5 >out 2>err || { cat out err; fail "without a profile: exit $?"; }
plain=$(digest)
timeout 60 "$program" "$sweep" -o alone.h5 --profile gemm.h5 >out 2>err || { cat out err; fail "alone: exit $?"; }
reference=$(digest)
[[ $reference =~ ^[0-9a-f]{32}$ && $reference != "$plain" ]] || fail "the profile changed nothing"
grep -q interpolated out || { cat out; fail "nothing was priced between measurements"; }
for workers in 1 2 3; do
  timeout 120 mpirun -n $workers "$program" "$sweep" -o n$workers.h5 --profile gemm.h5 >out 2>err ||
    { cat out err; fail "exit $? on $workers workers"; }
  [[ $(digest) == "$reference" ]] || fail "another digest on $workers workers: $(digest), not $reference"
done

head -c 5000 gemm.h5 >cut.h5
code=0
timeout 60 mpirun -n 3 "$program" "$sweep" -o none.h5 --profile cut.h5 >out 2>err || code=$?
[[ $code == 2 && ! -e none.h5 ]] || { cat out err; fail "a profile that is cut off: exit $code"; }
grep -q 'changed or truncated' err || { cat err; fail "no word of what is wrong"; }
echo "1, 2 and 3 workers agree: $reference"
