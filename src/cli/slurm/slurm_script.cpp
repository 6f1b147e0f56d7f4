// Requirements of a batch script.
//
// The rows are safe in the workers' journals within a second, so a job may end at any time; the script has to
// end it cleanly and restart it. Slurm announces the time limit by a signal some minutes in advance. The
// signal must be USR1: on TERM, mpirun kills its workers at once. Under mpirun it must reach the batch shell
// (`B:`), which forwards it to mpirun, which forwards it to its workers; without `B:` Slurm would signal
// mpirun's daemons. Under srun the workers are the job step, and Slurm signals them directly.
//
// The decision to requeue the job is based on the result file and its journals, not on the launcher: mpirun's
// exit status after a kill says nothing about the sweep. Bad input (2), failed points (4) and a file that
// cannot be written (5) would only recur. Slurm requeues a job automatically when it loses a node
// (--requeue).
//
// The number of shards of an array is written in the script and not taken from SLURM_ARRAY_TASK_COUNT:
// resubmitting a few tasks would otherwise split the sweep differently. The task that finds all shards
// complete merges them; two tasks may find this at the same time, so each merges into its own file and
// renames it, and both files hold the same rows.
#include "cli/slurm/slurm_script.hpp"

#include <fmt/format.h>

namespace echo::cli {

namespace {

constexpr std::string_view mpirun_launch = R"(
# Slurm signals the time limit to this shell only. mpirun forwards USR1 to every worker, which finishes its current
# points; TERM does not work, because mpirun then kills the workers.
launcher=''
trap '[[ -z $launcher ]] || kill -USR1 "$launcher"' USR1
mpirun "${run[@]}" &
launcher=$!
while kill -0 "$launcher" 2>/dev/null; do wait "$launcher"; done  # a signal ends `wait` early
wait "$launcher"
code=$?
)";

constexpr std::string_view srun_launch = R"(
# Slurm signals the time limit to every worker of this step, which finishes its current points.
srun --mpi=pmix "${run[@]}"
code=$?
)";

constexpr std::string_view verdict = R"(
# The file and its journals show the progress of the sweep; the status of a killed launcher does not.
"$program" status "$part" --exit-code
state=$?
if ((state != 0)); then
  # Bad input, failed points and a file that cannot be written would only recur.
  if ((state != 75)) || [[ $code == [245] ]]; then
    echo "not requeued: exit $code, status $state" >&2
    exit $((code == 0 ? state : code))
  fi
  if ((${SLURM_RESTART_COUNT:-0} >= max_restarts)); then
    echo "not requeued after $max_restarts restarts; submit the same job to continue" >&2
    exit 75
  fi
  echo "not complete (exit $code): requeued, to continue from the journals" >&2
  scontrol requeue "$SLURM_JOB_ID" || echo "Slurm refuses to requeue it; submit the same job to continue" >&2
  exit 75
fi
[[ $code == [34] ]] || code=0  # complete, regardless of the launcher's status; 3: nothing feasible, 4: failed points
)";

constexpr std::string_view merge = R"(
# The task that finds every shard complete merges them. Two tasks may do so at once: each renames its own file.
parts=()
for ((i = 1; i <= shards; ++i)); do
  parts+=("${file%.h5}.shard-$i-of-$shards.h5")
  "$program" status "${parts[-1]}" --exit-code >/dev/null 2>&1 && continue
  echo "shard $shard of $shards is complete; shard $i is not yet"
  exit "$code"
done
whole=${file%.h5}.merged-by-$SLURM_JOB_ID.h5
"$program" merge -o "$whole" "${parts[@]}" && mv -f -- "$whole" "$file" || exit 5
)";

constexpr std::string_view profile_body = R"(
# Measures the GPU of this node: kernels by themselves (echo-profile), then kernels beside communication (echo-overlap).
# Exit code 75: kernels are left to measure; submit it again, and echo-profile resumes.
set -uo pipefail
folder=${ECHO_PROFILERS:-build/release/bin}
out=${1:-.}
if [[ -z ${ECHO_PROFILERS:-} && ! -x $folder/echo-gpu-info ]]; then  # the installed ones
  installed=$(command -v echo-gpu-info) && folder=${installed%/*}
fi
for program in echo-gpu-info echo-profile echo-overlap; do
  if [[ ! -x $folder/$program ]]; then
    echo "no $folder/$program: build where the CUDA toolkit is found, or set ECHO_PROFILERS" >&2
    exit 5
  fi
done
mkdir -p -- "$out" || exit 5
srun "$folder/echo-gpu-info" | tee "$out/gpu-info.txt" || exit 5
if ! grep -q '^GPUs  *[1-9]' "$out/gpu-info.txt"; then
  echo "no GPU could be used on this node: nothing was profiled" >&2
  exit 5
fi
code=0
srun "$folder/echo-profile" "$out/kernels.h5" || code=$?
[[ $code == 0 || $code == 75 ]] || exit "$code"
srun "$folder/echo-overlap" "$out/overlaps.h5" || exit
echo "in $out: kernels.h5 for echo-sweep run --profile, overlaps.h5 for echo-sweep slowdown train"
exit "$code"
)";

// The name shown in Slurm's queue.
std::string job_name(const SlurmJob& job) {
  return job.sweep && is_plain_word(job.sweep->name) ? "echo-" + job.sweep->name : "echo-sweep";
}

std::string site_lines(const SlurmJob& job) {
  std::string lines;
  if (!job.partition.empty()) lines += fmt::format("#SBATCH --partition={}\n", job.partition);
  if (!job.account.empty()) lines += fmt::format("#SBATCH --account={}\n", job.account);
  return lines;
}

std::string sbatch_lines(const SlurmJob& job) {
  const bool by_mpirun = job.launcher == SlurmLauncher::mpirun;
  std::string lines = fmt::format("#SBATCH --job-name={}\n#SBATCH --nodes={}\n#SBATCH --ntasks-per-node={}\n",
                                  job_name(job), job.nodes, job.tasks_per_node);
  lines += fmt::format("#SBATCH --time={}\n", job.time) + site_lines(job);
  if (job.shards > 0) lines += fmt::format("#SBATCH --array=1-{}\n", job.shards);
  lines += fmt::format("#SBATCH --signal={}USR1@{}\n", by_mpirun ? "B:" : "", warning_seconds);
  lines += "#SBATCH --requeue\n#SBATCH --open-mode=append\n";
  return lines + fmt::format("#SBATCH --output={}-{}.log\n", job_name(job), job.shards > 0 ? "%A_%a" : "%j");
}

// The command line of `run` as a bash array; `more`: further options for this kind of job.
std::string run_line(const SlurmJob& job, std::string_view more) {
  std::string own;
  if (job.sweep) {
    for (const std::string& word : job.sweep->run_options) own += " " + shell_quoted(word);
  }
  return fmt::format("run=(\"$program\" run \"$sweep\" -o \"$part\"{}{} --progress line \"$@\")\n", more,
                     own);
}

std::string parameters(const SlurmJob& job) {
  std::string lines = "set -uo pipefail\n";
  if (job.sweep) {
    lines += fmt::format("program=${{ECHO_SWEEP:-{}}}\n", shell_quoted(job.sweep->program));
    lines +=
        fmt::format("sweep={}\nfile={}\n", shell_quoted(job.sweep->sweep), shell_quoted(job.sweep->file));
  } else {
    lines +=
        "program=${ECHO_SWEEP:-build/release/bin/echo-sweep}\n"
        "[[ -n ${ECHO_SWEEP:-} || -x $program ]] || program=echo-sweep  # the installed one\n"
        "sweep=${1:?the first argument is the sweep, SWEEP.toml}\n"
        "file=${2:?the second argument is the result file, RESULT.h5}\n"
        "shift 2\n";
  }
  lines += fmt::format("max_restarts={}\n", job.max_restarts);
  if (job.shards == 0) return lines + "part=$file\n" + run_line(job, "");
  lines += fmt::format("shards={} shard=$SLURM_ARRAY_TASK_ID\n", job.shards);
  lines +=
      "if ((shard < 1 || shard > shards)); then\n"
      "  echo \"the shards are 1 to $shards; echo-sweep slurm --array N makes N shards\" >&2\n"
      "  exit 2\n"
      "fi\n"
      "if [[ $file != *.h5 ]]; then\n"
      "  echo \"$file: the name of the result file of an array must end in .h5\" >&2\n"
      "  exit 2\n"
      "fi\n"
      "part=${file%.h5}.shard-$shard-of-$shards.h5\n";
  return lines + run_line(job, " --shard \"$shard/$shards\" --allow-empty");
}

std::string about(const SlurmJob& job) {
  std::string lines = job.shards > 0 ? "# A sweep split into shards, one per task of a job array; the last "
                                       "task to finish merges the files.\n"
                                     : "# A sweep on one or several nodes.\n";
  lines +=
      "# Rows are on disk within a second. A job that is stopped or loses a node is requeued and continues "
      "from there,\n"
      "# on any number of workers.\n";
  lines += fmt::format("# Made by: {}\n#\n", job.command);
  const std::string arguments = job.sweep ? "" : " SWEEP.toml RESULT.h5";
  return lines +
         fmt::format(
             "#   sbatch [--nodes=N --ntasks-per-node=CORES --time=T] THIS_SCRIPT{} [OPTIONS OF RUN]\n#\n",
             arguments);
}

}  // namespace

std::string shell_quoted(std::string_view text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string sweep_script(const SlurmJob& job) {
  check_job(job);
  std::string script = "#!/bin/bash\n" + about(job) + sbatch_lines(job) + "\n" + parameters(job);
  script += job.launcher == SlurmLauncher::mpirun ? mpirun_launch : srun_launch;
  script += verdict;
  if (job.shards > 0) script += merge;
  return script + "exit \"$code\"\n";
}

std::string profile_script(const SlurmJob& job) {
  check_job(job);
  std::string script =
      fmt::format("#!/bin/bash\n# The profilers on one node with a GPU.\n# Made by: {}\n#\n", job.command);
  script +=
      "#   sbatch THIS_SCRIPT [FOLDER]\n#\n#SBATCH --job-name=echo-profile\n#SBATCH --nodes=1\n#SBATCH "
      "--ntasks=1\n";
  script += fmt::format("#SBATCH --gpus-per-node=1\n#SBATCH --time={}\n", job.time) + site_lines(job);
  script += "#SBATCH --output=echo-profile-%j.log\n";
  return script + std::string(profile_body);
}

}  // namespace echo::cli
