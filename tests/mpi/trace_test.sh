#!/usr/bin/env bash
# A sweep over a trace: one digest for 1, 2 and 4 workers and after a stop; another trace under the same name is
# not mixed with it; one that cannot be read stops all workers.
# usage: trace_test.sh ECHO_SWEEP SWEEP.toml TRACE.jsonl
set -euo pipefail
program=$(realpath "$1") sweep=$(realpath "$2") trace=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/mpi_environment.sh"
cp "$sweep" "$trace" .
sweep=$(basename "$sweep") trace=$(basename "$trace")

digest() { sed -n 's/^rows_digest \([0-9a-f]*\).*/\1/p' out; }

timeout 60 "$program" "$sweep" -o alone.h5 >out 2>err || { cat out err; fail "alone: exit $?"; }
reference=$(digest)
[[ $reference =~ ^[0-9a-f]{32}$ ]] || { cat out; fail "no digest printed"; }
for workers in 1 2 4; do
  timeout 120 mpirun -n $workers "$program" "$sweep" -o n$workers.h5 >out 2>err ||
    { cat out err; fail "exit $? on $workers workers"; }
  [[ $(digest) == "$reference" ]] || fail "another digest on $workers workers: $(digest), not $reference"
done
timeout 60 "$program" "$sweep" -o cut.h5 --limit 40 >out 2>err || [[ $? == 3 ]] || fail "--limit: exit $?"
timeout 60 mpirun -n 2 "$program" "$sweep" -o cut.h5 >out 2>err || { cat err; fail "after --limit: exit $?"; }
[[ $(digest) == "$reference" ]] || fail "another digest after --limit"

"$program" show alone.h5 0 >shown || fail "show: exit $?"
grep -q '^remark' shown && { cat shown; fail "show cannot simulate the row again"; }
grep -q 'critical path: largest contributions' shown || { cat shown; fail "show does not explain the step"; }
"$program" top alone.h5 >out || fail "top: exit $?"
"$program" plan "$sweep" >out || fail "plan: exit $?"

sed -i 's/"bytes":67108864/"bytes":67108865/' "$trace"
code=0
timeout 60 "$program" "$sweep" -o n4.h5 >out 2>err || code=$?
[[ $code == 5 ]] || { cat out err; fail "rows of two traces in one file: exit $code"; }
"$program" show alone.h5 0 | grep -q '^remark: its trace .* has changed since' || fail "show does not see that the trace changed"

sed -i 's/"peer":2,"bytes":16777216}/"peer":9}/' "$trace"
code=0
timeout 60 mpirun -n 3 "$program" "$sweep" -o none.h5 >out 2>err || code=$?
[[ $code == 2 && ! -e none.h5 ]] || { cat out err; fail "a trace that is wrong: exit $code"; }
echo "1, 2 and 4 workers agree: $reference"
