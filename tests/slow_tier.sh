#!/usr/bin/env bash
# The slow tier: whole sweeps, the published measurements, the benchmark, fuzzing, PyTorch, all clang-tidy checks.
# Needs build/release (see .ci/run). Appends a dated report to tests/slow_tier_results.txt, which is committed.
set -euo pipefail
cd "$(dirname "$0")/.."
program=build/release/bin/echo-sweep
report=tests/slow_tier_results.txt
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1
export ECHO_DATA_DIR=${ECHO_DATA_DIR:-../shared/data}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# Runs a command; its last lines go to the report, its failure to the exit status.
part() {
  local title=$1 lines=$2
  shift 2
  local began=$SECONDS verdict=ok
  "$@" >"$folder/part" 2>&1 || { verdict=FAILED failed=1; }
  { printf '\n-- %s: %s, %s s\n' "$title" "$verdict" "$((SECONDS - began))"; tail -n "$lines" "$folder/part"; } |
    tee -a "$report"
}

printf '\n==== %s  %s  %s cores\n' "$(date -u +%FT%TZ)" "$(git rev-parse --short HEAD)" "$(nproc)" | tee -a "$report"
for sweep in sweeps/*.toml sweeps/traced/llama3-8b-fsdp2.toml; do
  part "$sweep, whole, 1 2 4 workers" 3 tests/same_digest.sh "$sweep" 0 "$program"
  part "$sweep, summary on 2 workers" 30 \
    mpirun -n 2 "$program" "$sweep" --progress none --fresh -o "$folder/$(basename "$sweep").h5"
done
if [[ -r $ECHO_DATA_DIR/steps/measured_steps.csv ]]; then
  part 'measured steps, every stratum' 80 "$program" validate "$ECHO_DATA_DIR/steps/measured_steps.csv" --expect all
  mapfile -t tables < <(find "$ECHO_DATA_DIR" -name '*.csv' | sort)
  part 'every measured table' 45 "$program" validate "${tables[@]}"
else
  echo "measured steps: no data at ECHO_DATA_DIR, left out" | tee -a "$report"
fi
part 'sets and their bounds, 10^6 members' 4 env ECHO_BOUND_SETS=200000 build/release/bin/test_property '--gtest_filter=Bounds.*'
part 'searches for the best beside grids, 200 spaces' 4 env ECHO_BEST_SPACES=200 ECHO_BEST_COMBINATIONS=40000 \
  build/release/bin/test_property '--gtest_filter=BestSearch.*'
part 'searches for the best beside grids of up to 10^6 combinations' 4 env ECHO_BEST_SPACES=20 ECHO_BEST_COMBINATIONS=1000000 \
  build/release/bin/test_property '--gtest_filter=BestSearch.Finds*'
part 'steps of all ranks beside collapsed ones, 16 000 seeds' 4 env ECHO_RANK_SEEDS=16000 \
  build/release/bin/test_reference '--gtest_filter=AllRanks.*'
part 'a thousand signals' 3 tests/mpi/kill_storm.sh build/release/bin/fake_sweep 1000
part 'launches in a simulated world, a million seeds' 25 build/release/bin/launch_simulation 1 1000000
for workers in 1 2 8 32; do
  part "the engine by itself, $workers workers" 4 mpirun -n "$workers" build/release/bin/engine_benchmark "$folder" 300000
done
part '100 000 damaged files' 25 python3 -B tests/mutation/mutation_test.py "$program" build/release/bin/mutate_files \
  build/release/bin/write_overlaps 100000
if [[ -x build/release/bin/echo-benchmark ]]; then
  part 'benchmark' 20 build/release/bin/echo-benchmark '--benchmark_filter=composed|block'
fi
if command -v clang++-14 >/dev/null; then
  part 'fuzzing, 60 s each' 3 tests/fuzz/run.sh 60
else
  echo "fuzzing: clang++-14 is not installed, left out" | tee -a "$report"
fi
part 'mutated inputs under sanitizers, 10^5 of each' 30 bash -c \
  'cmake --preset asan && cmake --build --preset asan --target mutate_inputs && build/asan/bin/mutate_inputs 100000'
part 'unit tests that the fast tier does not sanitize' 10 bash -c \
  'cmake --build --preset asan --target test_unit_{calibrate,profilers,accuracy,learn,congestion} &&
   for test in calibrate profilers accuracy learn congestion; do build/asan/bin/test_unit_$test || exit; done'
ECHO_LAUNCH_CONFIGS=10000 part 'launch files, 10 000 configs of each framework' 10 build/release/bin/test_unit_launch_flags '--gtest_filter=*RoundTrip*'
if [[ -n ${ECHO_FRAMEWORKS:-} ]]; then  # a folder for a virtual environment; megatron-lm and nanotron/src beside it, checked out
  part "launch files, read by the frameworks' own parsers" 20 python3 -B tests/unit/launch_flags/framework_parsers.py "$program" \
    --venv "$ECHO_FRAMEWORKS/venv" --source megatron-lm="$ECHO_FRAMEWORKS/megatron-lm" --source nanotron="$ECHO_FRAMEWORKS/nanotron/src"
else
  echo "launch files, read by the frameworks' own parsers: no ECHO_FRAMEWORKS, left out" | tee -a "$report"
fi
if [[ -n ${ECHO_TORCH_PYTHON:-} ]]; then  # a Python with what analysis/tests/torch_tier.py installs
  ECHO_SWEEP=$PWD/$program ECHO_NCCL=$PWD/build/release/lib/libecho_nccl.so \
    part 'PyTorch traced, beside the generator' 5 "$ECHO_TORCH_PYTHON" -B -m pytest -q -p no:cacheprovider analysis/tests/torch
else
  echo "PyTorch traced: no ECHO_TORCH_PYTHON, left out" | tee -a "$report"
fi
if [[ -n ${ECHO_TRANSFORMERS_PYTHON:-} ]]; then  # a Python with transformers and torch from PyPI
  part 'parameters of published models, counted by transformers' 5 "$ECHO_TRANSFORMERS_PYTHON" -B tests/unit/hugging_face/recount.py
  part "fields of architectures, those of transformers' classes" 10 "$ECHO_TRANSFORMERS_PYTHON" -B tests/unit/hugging_face/field_names.py
else
  echo "parameters of published models: no ECHO_TRANSFORMERS_PYTHON, left out" | tee -a "$report"
fi
part 'jobs interrupted on Slurm' 8 bash -c '"$@" || (($? == 77))' - tests/slurm/long_test.sh "$program" \
  tests/slurm/long.toml  # 77: it says why it was skipped
part 'the Debian package in a bare Debian' 4 bash -c \
  'cpack --config build/release/CPackConfig.cmake -G DEB -B "$1" && tests/package_test.sh "$1"/*.deb || (($? == 77))' - \
  "$folder/package"
part 'every header and every source compiles alone' 20 python3 -B tests/architecture/compile_alone.py build/release
part 'clang-tidy, all checks' 20 python3 -B tests/architecture/run_clang_tidy.py build/release
exit "$failed"
