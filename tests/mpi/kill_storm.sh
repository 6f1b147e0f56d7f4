#!/usr/bin/env bash
# Random SIGKILLs at random instants of random victims (a worker, worker 0, mpirun, all at once), each followed by a
# relaunch on another number of workers; at the end the file is that of an undisturbed run, and no innocent point was
# quarantined.      usage: kill_storm.sh FAKE_SWEEP [KILLS] [SEED]
set -euo pipefail
program=$(realpath "$1") kills=${2:-6} RANDOM=${3:-20261120}
here=$(dirname "$0")
. "$here/mpi_environment.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
out=out.0  # one file for each launch: a reader may come before a new launch has emptied its own
fail() { printf 'FAILED: %s\n' "$*" >&2; cat "$out" >&2; exit 1; }
resumed_rows() { sed -n 's/^start .*resumed \([0-9]*\) .*/\1/p' "$out"; }
digest() { sed -n 's/^rows_digest //p' "$out"; }
# Waits until a process has ended; a container's first process may leave it a zombie.
ended() { for _ in $(seq 3000); do grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$1/status" || return 0; sleep 0.02; done; return 1; }

microseconds=4000
ids=$((kills * 3500))  # more than can be done in time
"$program" whole.h5 $ids >$out
whole=$(digest)

done_before=0
for ((kill = 1; kill <= kills; ++kill)); do
  workers=$((1 + RANDOM % 8))
  out=out.$kill
  : >$out
  mpirun -n $workers "$program" storm.h5 $ids --microseconds $microseconds >$out 2>&1 &
  launcher=$!
  for _ in $(seq 3000); do resumed=$(resumed_rows); [[ -n $resumed ]] && break; sleep 0.02; done
  [[ -n $resumed ]] || fail "launch $kill did not start within a minute"
  sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
  mapfile -t processes < <(pgrep -P $launcher)
  case $((RANDOM % 4)) in
    0) victim=$launcher ;;
    1) victim=${processes[0]:-$launcher} ;;
    2) victim=${processes[RANDOM % ${#processes[@]}]} ;;
    3) victim="$launcher ${processes[*]}" ;;
  esac
  # shellcheck disable=SC2086
  kill -KILL $victim 2>/dev/null || true
  wait $launcher 2>/dev/null && fail "it was over before kill $kill; make it slower"
  for process in "${processes[@]}"; do  # mpirun's children may outlive it by a moment
    ended "$process" || fail "process $process outlived kill $kill by a minute"
  done
  [[ $resumed -ge $done_before ]] || fail "rows were lost: $resumed resumed, $done_before before"
  done_before=$resumed
  [[ ! -e storm.h5 ]] || fail "a killed launch left a result file"
done
out=out.last
timeout 120 mpirun -n 3 "$program" storm.h5 $ids >$out 2>&1 || fail "the last launch: exit $?"
grep -q "rows $ids failed 0" $out || fail "an innocent point was quarantined, or a row is missing"
[[ $(digest) == "$whole" ]] || fail "another digest after $kills kills"
[[ $(find . -name 'storm*') == ./storm.h5 ]] || fail "litter: $(find . -name 'storm*')"
echo "$kills kills, $(resumed_rows) of $ids rows before the last launch: $whole"
