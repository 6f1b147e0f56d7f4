#!/usr/bin/env bash
# The scripts `echo-sweep slurm` prints, submitted to a real Slurm of two nodes: whatever starts the workers, and however
# the sweep is cut, the rows are those of a plain run.
# usage: fast_test.sh ECHO_SWEEP SWEEP.toml
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cluster.sh"
enter_cluster "$0" "$@"
program=$(realpath "$1") sweep=$(realpath "$2")
start_cluster 2
say "Slurm runs on 2 nodes"

"$program" "$sweep" -o plain.h5 --progress none >plain.log || fail "without Slurm: exit $?"
reference=$(digest plain.h5)
[[ $reference =~ ^[0-9a-f]{32}$ ]] || fail "no digest"

# sbatch --wait would look every ten seconds.
run_job() {
  job=$(sbatch --parsable "$@") || fail "sbatch exit $?"
  until_true 90 is_over "$job" || fail "job $job is still $(job_state "$job")"
}
# submit NAME OPTIONS_OF_SLURM...: prints a script for the sweep and runs it to its end.
submit() {
  local name=$1
  shift
  "$program" slurm "$sweep" -o "$name.h5" "$@" >"$name.sbatch"
  run_job --output="$name-%a.log" "$name.sbatch"
  [[ $(job_state "$job") == COMPLETED ]] || fail "$name: $(job_state "$job")"
  [[ $(digest "$name.h5") == "$reference" ]] || fail "$name: another digest, $(digest "$name.h5") and not $reference"
  say "$name"
}

for launcher in mpirun srun; do
  submit $launcher --nodes 2 --tasks-per-node 2 --launcher $launcher
  [[ $(workers $launcher.h5) == 4 ]] || fail "$launcher: $(workers $launcher.h5) workers, not 4"
done
submit array --array 3 --tasks-per-node 2

# The profilers' job gets its GPU from Slurm (a made-up one here) and says what it could not measure.
"$program" slurm --profile >profile.sbatch
ECHO_PROFILERS=$(dirname "$program") run_job --output=profile.log profile.sbatch
code=$(scontrol show job "$job" | sed -n 's/.*ExitCode=\([0-9]*\):.*/\1/p')
case $code in
  0) grep -q '^GPUs  *[1-9]' profile.log || fail "profile: exit 0 without a GPU" ;;
  5) grep -Eq '^no (GPU could be used|.*/echo-gpu-info: build)' profile.log || fail "profile: exit 5 and no reason" ;;
  *) fail "profile: exit $code" ;;
esac
say "profile: exit $code"
