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

# submit NAME OPTIONS_OF_SLURM...: prints a script for the sweep and runs it to its end.
submit() {
  local name=$1
  shift
  "$program" slurm "$sweep" -o "$name.h5" "$@" >"$name.sbatch"
  sbatch --wait --output="$name-%a.log" "$name.sbatch" >"$name.out" 2>&1 || fail "$name: sbatch exit $?"
  [[ $(digest "$name.h5") == "$reference" ]] || fail "$name: another digest, $(digest "$name.h5") and not $reference"
  say "$name"
}

for launcher in mpirun srun; do
  submit $launcher --nodes 2 --tasks-per-node 2 --launcher $launcher
  [[ $(workers $launcher.h5) == 4 ]] || fail "$launcher: $(workers $launcher.h5) workers, not 4"
done

# The profilers' job gets its GPU from Slurm (a made-up one here) and says what it could not measure.
"$program" slurm --profile >profile.sbatch
code=0
ECHO_PROFILERS=$(dirname "$program") sbatch --wait --output=profile.log profile.sbatch >profile.out 2>&1 || code=$?
case $code in
  0) grep -q '^GPUs  *[1-9]' profile.log || fail "profile: exit 0 without a GPU" ;;
  5) grep -Eq '^no (GPU could be used|.*/echo-gpu-info: build)' profile.log || fail "profile: exit 5 and no reason" ;;
  *) fail "profile: sbatch exit $code" ;;
esac
say "profile: exit $code"
