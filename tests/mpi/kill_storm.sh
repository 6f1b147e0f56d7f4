#!/usr/bin/env bash
# Random signals (KILL, TERM, USR1, STOP and CONT) at random moments to random victims (a worker, every worker, mpirun,
# all of them), from the first millisecond of a launch to the end of its assembly, on 1 to 4 workers, with snapshots and
# without; each is followed by a relaunch on another number of workers. Every launch ends, no row is lost, no innocent
# point is quarantined, and every file is that of an undisturbed run.      usage: kill_storm.sh FAKE_SWEEP [SIGNALS] [SEED]
set -euo pipefail
program=$(realpath "$1") signals=${2:-40} RANDOM=${3:-20261123}
here=$(dirname "$0")
. "$here/mpi_environment.sh"

ids=2500
"$program" whole.h5 $ids >out.whole
whole=$(sed -n 's/^rows_digest //p' out.whole)
round=1 sent=0 launches=0 alone=0 stuck=0 fallen=0 resumed_before=0
declare -A count

pick() { local all=("$@"); echo "${all[RANDOM % ${#all[@]}]}"; }
milliseconds() { sleep "$(printf '0.%03d' "$1")"; }
is_running() { grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$1/status"; }  # not even a zombie
fail() {
  printf 'FAILED: %s (round %s, launch %s, after %s signals: %s)\n' "$*" $round $launches $sent "$last" >&2
  cat "$out" "$out.err" >&2
  kill -KILL $launcher ${processes[@]+"${processes[@]}"} 2>/dev/null
  exit 1
}
# Every process of the launch must be gone within a minute, whatever happened to it.
wait_for_end() {
  local process
  for process in $launcher ${processes[@]+"${processes[@]}"}; do
    for _ in $(seq 3000); do is_running "$process" || continue 2; sleep 0.02; done
    # Open MPI 4.1's mpirun may wait for ever for a worker that was killed while it connected: nothing of ours has begun.
    if grep -q '^start' $out || ! grep -q 'PMIX ERROR' $out.err; then fail "process $process did not end within a minute"; fi
    stuck=$((stuck + 1))
    kill -KILL $launcher ${processes[@]+"${processes[@]}"} 2>/dev/null || true
  done
  code=0
  wait $launcher 2>/dev/null || code=$?
}
launch() {
  local workers=$(pick 1 1 2 3 4) options=(--microseconds "$(pick 20 200 800)" --snapshot-ms "$(pick 0 0 20 100)")
  launches=$((launches + 1)) out=out.$round.$launches last="no signal yet" processes=()
  [[ $workers != 1 ]] || alone=$((alone + 1))
  local command=("$program" storm.h5 $ids "${options[@]}")
  if [[ $workers -gt 1 || $((RANDOM % 2)) == 0 ]]; then command=(mpirun -n "$workers" "${command[@]}"); fi
  "${command[@]}" >$out 2>$out.err &
  launcher=$!
}
send() {
  mapfile -t processes < <(pgrep -P $launcher || true)
  local victims signal=$(pick KILL KILL KILL TERM USR1 STOP)
  case $((RANDOM % 4)) in
    0) victims=$launcher ;;
    1) victims=$(pick ${processes[@]+"${processes[@]}"} $launcher) ;;
    2) victims=${processes[*]:-$launcher} ;;
    3) victims="$launcher ${processes[*]}" ;;
  esac
  last="$signal to $victims of $launcher (${processes[*]})"
  # shellcheck disable=SC2086
  kill -$signal $victims 2>/dev/null || return 0  # it was over before
  sent=$((sent + 1)) count[$signal]=$((${count[$signal]:-0} + 1))
  [[ $signal == STOP ]] || return 0
  milliseconds $((RANDOM % 500))
  # shellcheck disable=SC2086
  kill -CONT $victims 2>/dev/null || true
}
look_at_end() {
  # Open MPI 4.1's mpirun may crash while it cleans up after killed workers: the trace is then its own.
  if [[ $code == 139 ]] && grep -q '\] mpirun(' $out.err; then code=1 fallen=$((fallen + 1)); fi
  case $code in  # 0, 75, 128 + N, and what mpirun makes of deaths (1, 195 and others): no mistake, no crash
    [2-5] | 124 | 132 | 134 | 135 | 136 | 139) fail "exit code $code" ;;
  esac
  local resumed
  resumed=$(sed -n 's/^start .*resumed \([0-9]*\) .*/\1/p' $out)
  if [[ -n $resumed ]]; then
    [[ $resumed -ge $resumed_before ]] || fail "rows were lost: $resumed resumed, $resumed_before before"
    resumed_before=$resumed
  fi
  [[ $code == 0 ]] || return 0
  grep -q "rows $ids failed 0" $out || fail "an innocent point was quarantined, or a row is missing"
  [[ $(sed -n 's/^rows_digest //p' $out) == "$whole" ]] || fail "another digest"
  [[ $(h5dump -a /rows_digest storm.h5) == *"$whole"* ]] || fail "the file has another digest"
  # Of killed processes: temporary names are taken again or harmless; nothing else may stay.
  [[ ! -e storm.h5.journal && ! -e storm.h5.lock ]] || fail "litter: $(find . -name 'storm*')"
  rm -rf storm.h5* out.[0-9]*
  round=$((round + 1)) resumed_before=0
}

while [[ $sent -lt $signals ]]; do
  launch
  milliseconds $((RANDOM % 900))
  send
  wait_for_end
  look_at_end
done
launch
wait_for_end
[[ $code == 0 ]] || fail "the last launch: exit $code"
look_at_end
echo "$sent signals ($(for s in "${!count[@]}"; do printf '%s %s, ' "$s" "${count[$s]}"; done)$launches launches," \
  "$alone of them on one worker, $stuck stuck in the start of mpirun, $fallen ended by a crash of mpirun), $((round - 1)) files: $whole"
