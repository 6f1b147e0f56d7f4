#!/usr/bin/env bash
# A launch on 1, 2, 3 and 8 workers, killed, stopped, failing and resumed: always the same digest, never a hang.
# usage: launch_test.sh FAKE_SWEEP
set -euo pipefail
program=$(realpath "$1")
here=$(dirname "$0")
. "$here/mpi_environment.sh"

# run WORKERS EXPECTED_EXIT_CODE ARGUMENTS...: output in ./out
run() {
  local workers=$1 expected=$2 code=0
  shift 2
  timeout -k 5 60 mpirun -n "$workers" "$program" "$@" >out 2>err || code=$?
  [[ $code == "$expected" ]] || { cat out err; fail "exit code $code, not $expected: $workers workers, $*"; }
}
digest() { sed -n 's/^rows_digest //p' out; }

ids=3000
"$program" one.h5 $ids >out  # without mpirun
reference=$(digest)
[[ ${#reference} == 32 ]] || fail "no digest"

for workers in 1 2 3 8; do
  run $workers 0 n$workers.h5 $ids --microseconds 20
  [[ $(digest) == "$reference" ]] || fail "another digest on $workers workers"
  [[ ! -e n$workers.h5.journal ]] || fail "the journal was left behind"
done

# Worker 0 only hands out, as it does among many.
run 3 0 dispatcher.h5 $ids --dispatcher-only
[[ $(digest) == "$reference" ]] || fail "another digest with a pure dispatcher"
h5dump -A 0 -d /provenance/points/worker dispatcher.h5 | grep -Eq '[ ,]0[,]' && fail "worker 0 did points"

# A complete file: says so, does nothing.
run 2 0 n2.h5 $ids
grep -q '^complete' out || fail "did not see the complete file"
[[ $(digest) == "$reference" ]] || fail "the complete file lost its digest"

# Killed in the middle, every process at once, three times over, with another number of workers each time.
journal_bytes() { cat "$1".journal/*.rows 2>/dev/null | wc -c; }
for workers in 4 2 3; do
  before=$(journal_bytes killed.h5 || true)
  mpirun -n $workers "$program" killed.h5 $ids --microseconds 2000 >killed_out 2>&1 &
  launcher=$!
  for _ in $(seq 1500); do
    [[ $(journal_bytes killed.h5 || true) -gt $((before + 10000)) ]] && break
    sleep 0.02
  done
  pkill -KILL -P $launcher || fail "it was over before the kill"
  kill -KILL $launcher 2>/dev/null || true  # it may have ended by itself since
  wait $launcher 2>/dev/null || true
  [[ ! -e killed.h5 ]] || fail "a killed launch left a result file"
done
run 2 0 killed.h5 $ids
grep -Eq 'resumed [1-9][0-9]*' out || fail "nothing was resumed: $(cat out)"
[[ $(digest) == "$reference" ]] || fail "another digest after kills"

# One worker killed: the launcher ends the others, the rows survive.
mpirun -n 3 "$program" one_killed.h5 $ids --microseconds 5000 >killed_out 2>&1 &
launcher=$!
for _ in $(seq 200); do
  [[ $(journal_bytes one_killed.h5 || true) -gt 10000 ]] && break
  sleep 0.02
done
kill -KILL "$(pgrep -P $launcher | tail -1)"
wait $launcher && fail "mpirun did not notice the death of a worker"
run 4 0 one_killed.h5 $ids
grep -Eq 'resumed [1-9][0-9]*' out || fail "nothing was resumed after one worker's death"
[[ $(digest) == "$reference" ]] || fail "another digest after one worker's death"

# A stop on purpose: 75, resumable, nothing lost.
run 3 75 stopped.h5 $ids --microseconds 200 --stop-after 50
grep -q '^stopped' out || fail "did not stop"
[[ ! -e stopped.h5 ]] || fail "a stopped launch wrote the file"
run 2 0 stopped.h5 $ids
[[ $(digest) == "$reference" ]] || fail "another digest after a stop"

# The signal that asks for it, sent to mpirun.
mpirun -n 2 "$program" signal.h5 $ids --microseconds 2000 >signal_out 2>&1 &
launcher=$!
for _ in $(seq 100); do
  compgen -G 'signal.h5.journal/*.rows' >/dev/null && break
  sleep 0.05
done
sleep 0.5
kill -USR1 $launcher
code=0
wait $launcher || code=$?
[[ $code == 75 ]] || { cat signal_out; fail "USR1: exit code $code, not 75"; }
run 4 0 signal.h5 $ids
[[ $(digest) == "$reference" ]] || fail "another digest after USR1"

# Failures end every worker with one code, and no hang.
for worker in 0 1 2; do
  run 3 5 failing.h5 $ids --microseconds 100 --fail-on $worker
  grep -q 'no space left' err || fail "the reason of worker $worker was not told"
done
run 3 0 failing.h5 $ids
[[ $(digest) == "$reference" ]] || fail "another digest after failures"
run 4 2 nothing.h5 $ids --unknown
[[ ! -e nothing.h5 && ! -e nothing.h5.journal ]] || fail "a usage error wrote something"
run 2 5 n2.h5 $ids --key other
grep -q 'the program changed' err || { cat err; fail "it does not say what changed"; }
run 2 0 n2.h5 $ids --key other --fresh
[[ $(digest) == "$reference" ]] || fail "another digest when fresh"
run 2 5 /proc/nowhere/x.h5 $ids
[[ -z $(find . -name '*.lock*' -o -name '*.tmp' -o -name '*.journal') ]] || fail "litter: $(ls -A)"
echo "all launches agree: $reference"
