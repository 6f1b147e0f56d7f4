#!/usr/bin/env bash
# What can go wrong at a point, on the disk and between launches; and that every other row survives it.
# usage: fault_test.sh FAKE_SWEEP PYTHON_WITH_H5PY
set -euo pipefail
program=$(realpath "$1") python=$2
here=$(dirname "$0")
. "$here/mpi_environment.sh"
mounted=
trap '[[ -z $mounted ]] || umount "$mounted"; rm -rf "$folder" "$OMPI_MCA_orte_tmpdir_base"' EXIT

# run WORKERS EXPECTED_EXIT_CODE ARGUMENTS...: output in ./out; "crash" expects any code but 0
run() {
  local workers=$1 expected=$2 code=0
  shift 2
  timeout -k 5 60 mpirun -n "$workers" "$program" "$@" >out 2>err || code=$?
  [[ $code == "$expected" || ($expected == crash && $code != 0 && $code != 124) ]] ||
    { cat out err; fail "exit code $code, not $expected: $workers workers, $*"; }
}
digest() { sed -n 's/^rows_digest //p' out; }
digest_of() { h5dump -a /rows_digest "$1" | sed -n 's/.*"\([0-9a-f]\{32\}\)".*/\1/p'; }
expect() { grep -Eq "$1" out err || { cat out err; fail "no \"$1\""; }; }

ids=600
"$program" whole.h5 $ids >out
whole=$(digest)

# A point that kills its process by a signal: the second launch has every other row.
run 3 crash segfault.h5 $ids --segfault-at 333
run 2 0 segfault.h5 $ids --segfault-at 333
expect 'poisoned 1'
expect 'rows 600 failed 1'
expect 'killed its process with signal 11 \(launch 0, worker [0-2]\)'
h5dump -d /failures/message segfault.h5 | grep -q 'signal 11 (launch 0' || fail "the file does not say why"
one_failed=$(digest)

# One whose process is killed outright, as for want of memory: suspected, tried last and alone, given up at the third.
run 3 crash kill.h5 $ids --kill-at 333
run 3 crash kill.h5 $ids --kill-at 333
expect 'suspects [1-3] '
[[ $(grep -c . kill.h5.journal/launch-0001-worker-00000-*.rows) -gt 0 ]] || fail "no rows before the suspect"
run 2 crash kill.h5 $ids --kill-at 333
expect 'resumed 599 suspects 1 poisoned 0'
run 2 0 kill.h5 $ids --kill-at 333
expect 'poisoned 1'
[[ $(digest) == "$one_failed" ]] || fail "another file than after a segmentation fault"

# The same on one worker, with mpirun and without: its suspect is tried, and a signal ends the launch while it is.
run 1 crash alone.h5 $ids --kill-at 333
cp -r alone.h5.journal killed_once
run 1 0 alone.h5 $ids
expect 'suspects 1 poisoned 0'
[[ $(digest) == "$whole" ]] || fail "another digest after a suspect was tried on one worker"
mv killed_once alone.h5.journal
rm alone.h5
launch=1
for signal in TERM USR1; do
  "$program" alone.h5 $ids --microseconds 20000 >alone_out 2>&1 &
  launched=$!
  for _ in $(seq 100); do compgen -G "alone.h5.journal/launch-000$launch-worker-00000-*.rows" >/dev/null && break; sleep 0.05; done
  sleep 0.3
  kill -$signal $launched
  for _ in $(seq 200); do kill -0 $launched 2>/dev/null || break; sleep 0.05; done
  kill -KILL $launched 2>/dev/null && fail "$signal does not end a launch on one worker that has a suspect"
  code=0
  wait $launched || code=$?
  [[ $code == 75 ]] || { cat alone_out; fail "$signal on one worker: exit code $code, not 75"; }
  launch=$((launch + 1))
done
code=0
timeout -k 5 60 "$program" alone.h5 $ids >out 2>err || code=$?
[[ $code == 0 && $(digest) == "$whole" ]] || { cat out err; fail "exit code $code after a suspect and two signals"; }

# Points that throw, and points over budget, are rows; the failed ones can be tried again.
run 3 0 throw.h5 $ids --throw-at '*77' --over-budget-at '*88'
expect 'rows 600 failed 6'
run 2 0 throw.h5 $ids --retry-failed --over-budget-at '*88'
expect 'resumed 594'
expect 'rows 600 failed 0'
h5dump -a /n_over_budget throw.h5 | grep -q ': 6' || fail "points over budget were not counted"
run 3 75 fast.h5 $ids --throw-at '*7' --most-failures 5 --microseconds 100
run 3 0 fast.h5 $ids --retry-failed
[[ $(digest) == "$whole" ]] || fail "another digest after failures were tried again"

# Two launches on one output: the second is refused, and says who is at work. A killed one's lock is no obstacle.
mpirun -n 2 "$program" lock.h5 $ids --microseconds 10000 >locked_out 2>&1 &
launcher=$!
for _ in $(seq 600); do [[ -e lock.h5.lock ]] && break; sleep 0.05; done  # a launcher may take seconds to start
run 1 5 lock.h5 $ids
expect "another launch is running .*host $(hostname), process [0-9]+, since 20"
pkill -KILL -P $launcher || true; kill -KILL $launcher 2>/dev/null || true; wait $launcher 2>/dev/null || true
run 2 0 lock.h5 $ids
[[ $(digest) == "$whole" && ! -e lock.h5.lock ]] || fail "after a stale lock"

# Signals: TERM to the workers and two USR1 to mpirun, which forwards them.
for signals in TERM 'USR1 USR1'; do
  rm -rf signal.h5*
  mpirun -n 2 "$program" signal.h5 $ids --microseconds 20000 >signal_out 2>&1 &
  launcher=$!
  for _ in $(seq 100); do compgen -G 'signal.h5.journal/*1.rows' >/dev/null && break; sleep 0.05; done
  sleep 0.2
  for signal in $signals; do
    if [[ $signal == TERM ]]; then pkill -TERM -P $launcher; else kill -USR1 $launcher; fi
    sleep 0.1
  done
  code=0
  wait $launcher || code=$?
  [[ $code == 75 ]] || { cat signal_out; fail "$signals: exit code $code, not 75"; }
  [[ -z $(find signal.h5.journal -name '*.claim') ]] || fail "$signals: a worker did not end in order"
  run 2 0 signal.h5 $ids
  [[ $(digest) == "$whole" ]] || fail "another digest after $signals"
done

# A time budget.
run 2 75 budget.h5 $ids --microseconds 10000 --seconds 0.5
run 2 0 budget.h5 $ids
[[ $(digest) == "$whole" ]] || fail "another digest after a time budget"

# A file to look at while the sweep runs, complete in itself; then the same command goes on from the journals.
mpirun -n 2 "$program" snapshot.h5 $ids --microseconds 15000 --snapshot-ms 100 >snapshot_out 2>&1 &
launcher=$!
for _ in $(seq 100); do [[ -e snapshot.h5 ]] && break; sleep 0.05; done
h5dump -a /state -a /n_total snapshot.h5 >state || fail "a snapshot does not open"
grep -q partial state && grep -q ': 600' state || { cat state; fail "a snapshot does not say that it is one"; }
pkill -KILL -P $launcher || true; kill -KILL $launcher 2>/dev/null || true; wait $launcher 2>/dev/null || true
run 3 0 snapshot.h5 $ids
expect 'resumed [1-9]'
[[ $(digest) == "$whole" && $(digest_of snapshot.h5) == "$whole" ]] || fail "another digest after a snapshot"

# A snapshot, or the finished file beside journals that were not removed yet, is damaged: it is put aside under a name
# that is free, and the launch goes on from the journals. Without journals it is refused, and stays.
overwrite() { printf 'overwritten' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
snapshot() {  # FILE: a partial file and its journals, as a launch leaves them that is killed after a snapshot
  run 2 0 "$1" $ids --limit 200
  echo precious >"$1.damaged"
}
in_column() {  # FILE: an offset within the numbers of its rows
  "$python" -c 'import h5py, sys; print(h5py.File(sys.argv[1])["provenance/points/number"].id.get_chunk_info(0).byte_offset + 30)' "$1"
}
for damage in superblock column short empty text; do
  snapshot damaged.h5
  case $damage in
    superblock) overwrite damaged.h5 0 ;;
    column) overwrite damaged.h5 "$(in_column damaged.h5)" ;;
    short) truncate -s -5000 damaged.h5 ;;
    empty) : >damaged.h5 ;;
    text) echo 'not HDF5 at all, but here it is' >damaged.h5 ;;
  esac
  cp damaged.h5 as_damaged
  run 2 0 damaged.h5 $ids
  expect 'warning: "damaged.h5" is damaged .*put aside as "damaged.h5.damaged.2"'
  expect 'resumed 200'
  [[ $(digest) == "$whole" ]] || fail "another digest after a damaged snapshot ($damage)"
  cmp -s damaged.h5.damaged.2 as_damaged || fail "what was put aside is not the damaged file ($damage)"
  [[ $(cat damaged.h5.damaged) == precious ]] || fail "a file was overwritten by the damaged one"
  cp damaged.h5 as_damaged
  rm damaged.h5*
done
run 2 75 damaged.h5 $ids --microseconds 1000 --stop-after 100
cp as_damaged damaged.h5
overwrite damaged.h5 "$(in_column damaged.h5)"
run 2 0 damaged.h5 $ids
expect 'put aside'
expect 'resumed [1-9]'
[[ $(digest) == "$whole" ]] || fail "another digest after a damaged finished file"
rm damaged.h5*
cp as_damaged damaged.h5
overwrite damaged.h5 0
run 2 5 damaged.h5 $ids
expect 'damaged.h5'
run 2 0 damaged.h5 $ids --fresh
expect 'put aside as "damaged.h5.damaged"'
[[ $(digest) == "$whole" && -e damaged.h5.damaged ]] || fail "--fresh over a damaged file"
"$python" -c 'import h5py; h5py.File("another.h5", "w")["x"] = 1'
run 2 5 another.h5 $ids --fresh
expect 'not a result file'

# The first points only, then all.
run 2 0 limit.h5 $ids --limit 100
expect '^limited .* rows 100'
run 3 0 limit.h5 $ids
expect 'resumed 100'
[[ $(digest) == "$whole" ]] || fail "another digest after --limit"

# A space that grew at both ends: from the finished file, and from the journals of a stopped launch.
run 2 0 grown.h5 400 --from 100
run 2 5 grown.h5 $ids
expect 'the space changed.*--extend'
run 3 0 grown.h5 $ids --extend
expect 'resumed 400'
[[ $(digest) == "$whole" ]] || fail "another digest after extending a file"
run 2 75 journals.h5 400 --from 100 --microseconds 100 --stop-after 40
run 3 0 journals.h5 $ids --extend
expect 'resumed [1-9]'
[[ $(digest) == "$whole" ]] || fail "another digest after extending journals"
# The same, killed after a snapshot that already holds old rows and new ones; each launch is told of once.
run 2 0 again.h5 400 --from 100
mpirun -n 2 "$program" again.h5 $ids --extend --microseconds 20000 --snapshot-ms 100 >snapshot_out 2>&1 &
launcher=$!
for _ in $(seq 100); do h5dump -a /state again.h5 2>/dev/null | grep -q partial && break; sleep 0.05; done
pkill -KILL -P $launcher || true; kill -KILL $launcher 2>/dev/null || true; wait $launcher 2>/dev/null || true
run 3 0 again.h5 $ids --extend
[[ $(digest) == "$whole" ]] || fail "another digest after a snapshot of an extension"
h5dump -d /provenance/runs/run again.h5 | grep -q '(0): 0, 1, 2$' || fail "launches are told of twice, or not at all"
run 2 5 grown.h5 400 --from 300 --extend
expect '300 of 600 points .* are not in the new space'
[[ $(digest_of grown.h5) == "$whole" ]] || fail "a refusal touched the file"

# --fresh over a finished file: the old one stays until the new one is whole, and the relaunch needs no --fresh.
run 2 75 grown.h5 500 --fresh --microseconds 100 --stop-after 30
[[ $(digest_of grown.h5) == "$whole" ]] || fail "--fresh removed the old file too early"
run 2 0 grown.h5 500
expect 'resumed [1-9]'

# Shards of one space, one of them stopped and resumed.
rows() { sed -n 's/^done .* rows \([0-9]*\) .*/\1/p' out; }
run 2 0 one.h5 $ids --shard 1/3
sum=$(rows)
run 2 75 two.h5 $ids --shard 2/3 --microseconds 1000 --stop-after 20
run 3 0 two.h5 $ids --shard 2/3
expect 'resumed [1-9]'
sum=$((sum + $(rows)))
run 1 0 three.h5 $ids --shard 3/3
[[ $((sum + $(rows))) == "$ids" ]] || fail "shards do not hold $ids points together"
run 1 5 one.h5 $ids --shard 2/3
run 1 0 one.h5 $ids --shard 1/3
expect '^complete'

# Rows of another sweep in a journal, with their header and without: told, left out, and their points run again.
run 2 75 foreign.h5 $ids --key other --from 50 --microseconds 1000 --stop-after 90
for skipped in 0 1; do
  run 1 75 mixed.h5 $ids --microseconds 1000 --stop-after 100
  "$python" - mixed.h5.journal/launch-0000-worker-00000-*.rows foreign.h5.journal/launch-0000-worker-0000?-*.rows $skipped <<'END'
import struct, sys
with open(sys.argv[1], "ab") as mixed:
    for name in sys.argv[2:-1]:
        frames = open(name, "rb").read()
        for _ in range(int(sys.argv[-1])):
            frames = frames[12 + struct.unpack("<I", frames[:4])[0]:]
        mixed.write(frames)
END
  run 2 0 mixed.h5 $ids
  expect 'warning: ".*launch-0000-worker-00000.*.rows" has [1-9][0-9]* rows of another sweep'
  [[ $(digest) == "$whole" ]] || fail "another digest after rows of another sweep ($skipped frames left out)"
  rm mixed.h5
done

# A disk that is full: refused with the reason, what was written stays, and with room again the sweep goes on.
disk_full() {  # FILE [OPTIONS]
  run 2 5 "$1" $ids "${@:2}" --microseconds 2000
  expect 'No space left on device|File too large'
  expect 'rows written so far are kept|has room'
}
mkdir small
if mount -t tmpfs -o size=40k tmpfs small 2>/dev/null; then
  mounted=$folder/small
  disk_full small/full.h5
  mount -o remount,size=20m small
  run 2 0 small/full.h5 $ids
  expect 'resumed [1-9]'
  [[ $(digest) == "$whole" ]] || fail "another digest after a full disk"
  mount -o remount,ro small
  run 2 5 small/other.h5 $ids
  expect 'Read-only file system'
  umount small
  mounted=
else
  echo "no tmpfs can be mounted here: a full disk is tested by a limit on file sizes alone"
fi
disk_full limited.h5 --largest-file 8192
run 2 0 limited.h5 $ids
expect 'resumed [1-9]'
[[ $(digest) == "$whole" ]] || fail "another digest after files that were too large"
mkdir locked && chmod 500 locked
if [[ $EUID != 0 ]]; then
  run 2 5 locked/x.h5 $ids
  expect 'Permission denied'
fi
run 2 5 /proc/nowhere/x.h5 $ids

[[ -z $(find . -name '*.lock*' -o -name '*.tmp*' -o -name '*.stale*') ]] || fail "litter: $(find . -name '*.lock*')"
echo "every fault left every other row: $whole"
