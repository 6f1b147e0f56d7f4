#!/usr/bin/env bash
# Each line of the table of exit codes in docs/running.md: the program itself, stopped and refused in every way; a
# launch that ends early is resumed and gives the digest of an undisturbed one.
# usage: exit_codes_test.sh ECHO_SWEEP FAKE_SWEEP SWEEP.toml
set -euo pipefail
program=$(realpath "$1") fake=$(realpath "$2") sweep=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/mpi_environment.sh"

# gives CODE COMMAND...: output in ./out and ./err
gives() {
  local expected=$1 code=0
  shift
  timeout -k 5 60 "$@" >out 2>err || code=$?
  [[ $code == "$expected" ]] || { cat out err; fail "exit code $code, not $expected: $*"; }
}
digest() { sed -n 's/^rows_digest //p' out; }

# 0, 2, 3, 5: done, mistakes, nothing feasible, files.
gives 0 "$program" "$sweep" -o done.h5
gives 0 "$program" "$sweep" -o done.h5  # complete already
gives 2 "$program" "$sweep" --no-such-option
gives 2 "$program" no_such_file.toml
gives 2 "$program" "$sweep" -o none.h5 --set space.tp=0
[[ ! -e none.h5 && ! -e none.h5.journal ]] || fail "a mistake left files"
gives 3 "$program" "$sweep" -o early.h5 --limit 20
gives 0 "$program" "$sweep" -o early.h5 --limit 20 --allow-empty
gives 5 "$program" "$sweep" -o /proc/nowhere/x.h5
gives 5 "$program" "$sweep" -o done.h5 --set 'space.micro_batch=[1]'

# 5: memory or threads that the machine refuses, told as such; the highest limit that is too low.
code=0 limit=2000000
while [[ $code == 0 ]]; do
  limit=$((limit - limit / 12))
  rm -rf small.h5*
  (ulimit -v $limit && exec timeout -k 5 60 "$program" "$sweep" -o small.h5 -q) >out 2>err || code=$?
done
[[ $code == 5 ]] || { cat out err; fail "exit code $code, not 5, with $limit KiB of memory"; }
gives 0 "$program" "$sweep" -o small.h5

# The rest needs points that take their time.
ids=600
gives 0 "$fake" whole.h5 $ids
whole=$(digest)
processes() { pgrep -P "$1" || true; }
begin() {  # COMMAND...: in the background; $launched
  : >launched_out  # what the command before printed must not be taken for this one's, which may not have started yet
  "$@" >>launched_out 2>&1 &
  launched=$!
}
wait_for() { for _ in $(seq 600); do eval "$1" && return; sleep 0.02; done; cat launched_out; fail "never: $1"; }
has_rows='[[ $(cat slow.h5.journal/launch-*.rows 2>/dev/null | wc -c) -gt 1200 ]]'
ends_with() {
  local code=0
  wait "$launched" || code=$?
  [[ $code == "$1" ]] || { cat launched_out; fail "exit code $code, not $1: $2"; }
}
resumed() {
  gives 0 mpirun -n 2 "$fake" slow.h5 $ids
  [[ $(digest) == "$whole" ]] || fail "another digest after $1"
  rm -rf slow.h5*
}
slow=("$fake" slow.h5 $ids --microseconds 20000)

# 75: a stop on purpose, from the first moments on: as soon as MPI, which takes long to start, has a thread.
for signal in USR1 TERM; do
  for moment in '[[ $(sed -n "s/^Threads:[[:space:]]*//p" /proc/$launched/status 2>/dev/null) -gt 1 ]]' "$has_rows"; do
    begin "${slow[@]}"
    wait_for "$moment"
    kill -$signal $launched
    ends_with 75 "$signal without mpirun at $moment"
    resumed "$signal"
  done
done
begin mpirun -n 2 "${slow[@]}"
wait_for '[[ $(processes $launched | wc -l) == 2 ]]'
child=$(processes $launched | tail -1)
wait_for '[[ $(sed -n "s/^Threads:[[:space:]]*//p" /proc/$child/status 2>/dev/null) -gt 1 ]]'
kill -USR1 $launched
ends_with 75 "USR1 to mpirun in its first second"
resumed "an early USR1 to mpirun"
# While 10^11 combinations are numbered: hours, with nothing to keep.
cat >huge.toml <<'END'
[space]
model        = "llama3-8b"
cluster      = "dgx-h100-ndr400"
gpus         = [8, 16, 32, 64]
tp           = { pow2 = [1, 8] }
vpp          = { from = 1, to = 64, step = 1 }
micro_batch  = { from = 1, to = 64, step = 1 }
seq_len      = { from = 256, to = 65536, step = 256 }
global_batch = { from = 64, to = 65536, step = 64 }
[[keep]]
name = "none"
expr = "vpp * micro_batch * seq_len * global_batch < 1"
END
for signal in USR1 TERM; do
  begin "$program" huge.toml -o huge.h5
  wait_for 'grep -q "^numbering" launched_out'
  kill -$signal $launched
  ends_with 75 "$signal while points are numbered"
  [[ ! -e huge.h5 && ! -e huge.h5.journal ]] || fail "numbering left files"
done
gives 75 mpirun -n 2 "${slow[@]}" --seconds 0.3
resumed "a time budget"

# 1: TERM to mpirun. Open MPI passes it on and forgets the workers' own exit codes: they end in order all the same.
begin mpirun -n 2 "${slow[@]}"
wait_for "$has_rows"
kill -TERM $launched
ends_with 1 "TERM to mpirun"
[[ -z $(find slow.h5.journal -name '*.claim') ]] || fail "TERM to mpirun: a worker did not end in order"
resumed "TERM to mpirun"

# 128 + N: a process killed by signal N, and mpirun for a worker that was.
begin "${slow[@]}"
wait_for "$has_rows"
kill -KILL $launched
ends_with 137 "KILL without mpirun"
resumed "KILL"
begin mpirun -n 2 "${slow[@]}"
wait_for "$has_rows"
kill -KILL "$(processes $launched | tail -1)"
ends_with 137 "KILL of a worker"
resumed "KILL of a worker"

# 128 + N: a point that crashes its process; 0 in the next launch, which tolerates it.
gives 139 "$fake" slow.h5 $ids --segfault-at 333
gives 0 "$fake" slow.h5 $ids --segfault-at 333
rm -rf slow.h5*

# 4: more failures than are tolerated. A point that killed its process is one. No point of the program does: it is
# killed while it has a point in hand of which no row is on disk, and its page is given the signal that a crash would
# have left there. It is stopped before it is asked and never runs on, since its next act may be to write the rows.
many=("$program" "$sweep" -o failed.h5 --set 'space.tp=[1,2,3,4,6,8]' --set 'space.pp=[1,2,3,4,6,8,12]'
  --set 'space.vpp=[1,2,3,4]' --set 'space.global_batch=[96,192,288,384,480,576,768,960,1152,1536,1920,2304]'
  --set 'space.zero=[0,1]' --set 'space.sequence_parallel=[false,true]')
is_stopped='[[ -z $(grep -h "^State:" /proc/$launched/task/*/status | grep -v "[[:space:]]T") ]]'
point_in_hand() { od -An -j 80 -N 8 -t d8 failed.h5.journal/*.claim 2>/dev/null | tr -d ' '; }
holds_a_point='[[ $(point_in_hand) -ge 0 && -n $(point_in_hand) ]]'
is_accusable=
for attempt in $(seq 20); do
  rm -rf failed.h5*
  begin "${many[@]}"
  wait_for "$holds_a_point"
  kill -STOP $launched
  wait_for "$is_stopped"
  kill -KILL $launched
  ends_with 137 "KILL while stopped"
  "$program" status failed.h5 >out
  if eval "$holds_a_point" && grep -q ' 0 of ' out; then is_accusable=yes && break; fi
done
[[ $is_accusable ]] || { cat out; fail "between two ranges, or with rows on disk, each time"; }
printf '\x0b' | dd of="$(echo failed.h5.journal/*.claim)" bs=1 seek=88 conv=notrunc status=none
gives 4 "${many[@]}"
grep -q 'signal 11' out err || { cat out err; fail "nobody says why"; }
gives 0 "${many[@]}" --max-failures 1
echo "every exit code is the documented one"
