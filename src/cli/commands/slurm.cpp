// echo-sweep slurm [SWEEP.toml]: prints a batch script, ready for sbatch.

#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/slurm/slurm_script.hpp"
#include "cli/terminal/say.hpp"
#include "config/sweep_file/sweep_file.hpp"

namespace echo::cli::commands {

namespace {

struct SlurmOptions {
  std::string sweep, output, launcher = "mpirun";
  std::vector<std::string> preset_paths, sets;
  bool profile = false;
  SlurmJob job;
};

// The full path of the running program: the job may have a different PATH.
std::string this_program() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "echo-sweep" : path.string();
}

// Reads the sweep, so that mistakes are reported now and not when the job starts.
SlurmSweep sweep_of(const SlurmOptions& options) {
  const sweep::SweepSpec spec = config::read_sweep(options.sweep, options.preset_paths, options.sets).spec;
  SlurmSweep sweep{.name = spec.name,
                   .sweep = options.sweep,
                   .file = options.output.empty() ? sweep::result_file_of(spec) : options.output,
                   .program = this_program()};
  for (const std::string& path : options.preset_paths)
    sweep.run_options.insert(sweep.run_options.end(), {"--preset-path", path});
  for (const std::string& set : options.sets)
    sweep.run_options.insert(sweep.run_options.end(), {"--set", set});
  return sweep;
}

// The command that produces the script, quoted for the shell.
std::string command_text(const Invocation& invocation) {
  std::string text = "echo-sweep";
  for (int i = 1; i < invocation.argc; ++i) text += " " + shell_quoted(invocation.argv[i]);
  return text;
}

int print_script(const SlurmOptions& options, const Invocation& invocation) {
  SlurmJob job = options.job;
  if (options.profile && (!options.sweep.empty() || job.shards > 0))
    throw UserError("--profile runs profilers, not a sweep", "remove SWEEP and --array");
  const bool names_run = !options.output.empty() || !options.sets.empty() || !options.preset_paths.empty();
  if (names_run && options.sweep.empty())
    throw UserError("-o, --set and --preset-path need a sweep",
                    "name the sweep, or pass these arguments to the script when you submit it");
  if (job.time.empty()) job.time = options.profile ? "00:30:00" : "04:00:00";
  job.command = command_text(invocation);
  job.launcher = options.launcher == "srun" ? SlurmLauncher::srun : SlurmLauncher::mpirun;
  if (!options.sweep.empty()) job.sweep = sweep_of(options);
  say("{}", options.profile ? profile_script(job) : sweep_script(job));
  return 0;
}

std::function<int(Invocation&)> declare_slurm(Options& options) {
  auto chosen = std::make_shared<SlurmOptions>();
  SlurmJob& job = chosen->job;
  options.optional_argument(
      chosen->sweep, "SWEEP",
      "the sweep, a TOML file; if absent, the script takes the sweep and the result file as arguments");
  options.value(chosen->output, "-o,--output", "result file (default: as for run)");
  options.value(job.nodes, "--nodes", "nodes of the job, or of each array task");
  options.value(job.tasks_per_node, "--tasks-per-node", "workers per node, at most its number of cores");
  options.value(
      job.time, "--time",
      "time limit in Slurm's notation (default: 04:00:00, profilers 00:30:00); the job is requeued after it");
  options.value(job.partition, "--partition", "Slurm partition");
  options.value(job.account, "--account", "Slurm account");
  options.value(job.shards, "--array", "N shards, each an array task, merged by the last one; 0 = one job");
  options.choice(chosen->launcher, "--launcher", {"mpirun", "srun"}, "command that starts the workers");
  options.value(job.max_restarts, "--max-restarts", "maximum number of times the job is requeued");
  options.values(chosen->preset_paths, "--preset-path,--include", preset_path_help);
  options.values(chosen->sets, "--set", "KEY=VALUE, as for run; repeatable");
  options.flag(chosen->profile, "--profile", "make a job that runs the profilers on a GPU node instead");
  return [chosen](Invocation& invocation) { return print_script(*chosen, invocation); };
}

}  // namespace

extern const Command slurm{.name = "slurm", .summary = "print a batch script for Slurm", .declare = declare_slurm};

}  // namespace echo::cli::commands
