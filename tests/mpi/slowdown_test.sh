#!/usr/bin/env bash
# Workers that share a learned slowdown model agree with one that has it to itself; rows of two models do not mix;
# a model that cannot be used stops all workers.
# usage: slowdown_test.sh ECHO_SWEEP WRITE_SLOWDOWN_MODEL SWEEP.toml
set -euo pipefail
program=$(realpath "$1") write_model=$(realpath "$2") sweep=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/mpi_environment.sh"

digest() { sed -n 's/^rows_digest \([0-9a-f]*\).*/\1/p' out; }
named() { sed "/^\[space\]/i [simulate]\nslowdown = \"$1\"\n" "$sweep"; }

"$write_model" small.slowdown 20 4
named small.slowdown >small.toml
timeout 60 "$program" "$sweep" -o plain.h5 >out 2>err || { cat out err; fail "white box: exit $?"; }
plain=$(digest)
timeout 60 "$program" small.toml -o alone.h5 >out 2>err || { cat out err; fail "alone: exit $?"; }
reference=$(digest)
[[ $reference =~ ^[0-9a-f]{32}$ && $reference != "$plain" ]] || fail "the model changed nothing"
for workers in 1 2 4; do
  timeout 120 mpirun -n $workers "$program" small.toml -o n$workers.h5 >out 2>err ||
    { cat out err; fail "exit $? on $workers workers"; }
  [[ $(digest) == "$reference" ]] || fail "another digest on $workers workers: $(digest), not $reference"
done

code=0
timeout 60 "$program" small.toml -o n4.h5 --set 'simulate.slowdown="auto"' >out 2>err || code=$?
[[ $code == 5 ]] || { cat out err; fail "rows of two models in one file: exit $code"; }

head -c 500 small.slowdown >cut.slowdown
named cut.slowdown >cut.toml
code=0
timeout 60 mpirun -n 3 "$program" cut.toml -o none.h5 >out 2>err || code=$?
[[ $code == 2 && ! -e none.h5 ]] || { cat out err; fail "a model that is cut off: exit $code"; }
grep -q 'cut.toml:[0-9]*:13: error: cannot use this slowdown model' err || { cat err; fail "no word of where and what"; }
echo "1, 2 and 4 workers agree: $reference"
