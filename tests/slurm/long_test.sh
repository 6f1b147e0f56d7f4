#!/usr/bin/env bash
# Jobs that do not get to their end at once, on a real Slurm of three nodes: the time limit strikes, under mpirun and under
# srun; a better job takes the nodes; the node of the batch script, mpirun and worker 0 is lost. Each job is queued again
# by itself, goes on from its journals, and ends with the rows of a run that nobody disturbed.
# usage: long_test.sh ECHO_SWEEP SWEEP.toml
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cluster.sh"
enter_cluster "$0" "$@"
program=$(realpath "$1") sweep=$(realpath "$2")
start_cluster 3
say "Slurm runs on 3 nodes"

mpirun -n 2 --oversubscribe "$program" "$sweep" -o plain.h5 --progress none >plain.log 2>&1 || fail "without Slurm: exit $?"
reference=$(digest plain.h5)
[[ $reference =~ ^[0-9a-f]{32}$ ]] || fail "no digest"
say "undisturbed: $reference"

# submit NAME LAUNCHER OPTIONS_OF_SBATCH...: leaves the number of the job in $job
submit() {
  local name=$1 launcher=$2
  shift 2
  "$program" slurm "$sweep" -o "$name.h5" --nodes 2 --tasks-per-node 1 --launcher "$launcher" >"$name.sbatch"
  job=$(sbatch --parsable --output="$name.log" "$@" "$name.sbatch") || fail "$name: sbatch exit $?"
}
restarts() { scontrol show job "$job" | sed -n 's/.*Restarts=\([0-9]*\).*/\1/p'; }
is_queued_again() { [[ $(restarts) -ge 1 ]]; }
# finishes NAME RESTARTS: the job ends well, after that many restarts at least, and with the same rows.
finishes() {
  until_true 900 is_over "$job" || fail "$1: still $(job_state "$job")"
  [[ $(job_state "$job") == COMPLETED ]] || fail "$1: $(job_state "$job")"
  (($(restarts) >= $2)) || fail "$1: only $(restarts) restarts"
  (($(workers "$1.h5" | wc -l) == $(restarts) + 1)) || fail "$1: $(restarts) restarts, launches of $(workers "$1.h5")"
  [[ $(digest "$1.h5") == "$reference" ]] || fail "$1: another digest, $(digest "$1.h5")"
  say "$1: complete after $(restarts) restarts"
}

journalled() { [[ $(cat "$1".h5.journal/* 2>/dev/null | wc -c) -gt 20000 ]]; }

# Slurm looks at time limits every 30 s, and signals as soon as the next look might be too late.
for launcher in mpirun srun; do
  name=limit-$launcher
  submit $name $launcher --signal=$([[ $launcher == srun ]] || echo B:)USR1@30
  until_true 120 journalled $name || fail "$name: nothing is journalled"
  scontrol update JobId="$job" TimeLimit=1
  until_true 300 is_queued_again || fail "$name: it was not queued again"
  scontrol update JobId="$job" TimeLimit=60  # once is enough
  finishes $name 1
  grep -q '^stopped early' $name.log || fail "$name: the workers did not stop on purpose"
  ! grep -q 'TIME LIMIT' $name.log || fail "$name: the limit struck after all"
done

# Slurm takes the nodes away for a job of a better partition, then one of them is lost for good.
submit losses mpirun
journal_bytes() { cat losses.h5.journal/* 2>/dev/null | wc -c; }
grows_beyond() { [[ $(job_state "$job") == RUNNING && $(journal_bytes) -gt $1 ]]; }
until_true 120 grows_beyond 20000 || fail "losses: nothing is journalled"
sbatch --wait --partition=urgent --nodes=3 --exclusive --output=urgent.log --wrap=true >/dev/null || fail "no pre-emption"
is_queued_again || fail "losses: it was not pre-empted"
say "pre-empted"
until_true 120 grows_beyond $(($(journal_bytes) + 20000)) || fail "losses: it does not go on"
lost=$(scontrol show job "$job" | sed -n 's/.*BatchHost=//p')
lose_node "$lost"
say "lost $lost"
finishes losses 2
sinfo --noheader --partition=all --nodes="$lost" --format=%t | grep -q down || fail "$lost is not down: $(sinfo)"
