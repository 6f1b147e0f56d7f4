// Batch scripts for Slurm, as text for sbatch: a sweep on some nodes, a sweep as a job array that merges
// itself, the profilers on a GPU node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echo::apps {

enum class SlurmLauncher : std::int8_t { mpirun, srun };

// The sweep a script is for, as the job will see it from the folder it is submitted in.
struct SlurmSweep {
  std::string name, sweep, file, program;  // file: the result; program: echo-sweep
  std::vector<std::string> run_options;    // more words for `run`
};

struct SlurmJob {
  std::optional<SlurmSweep> sweep;  // none: the script takes sweep and result file as its arguments
  std::string command;              // that makes this script
  std::int64_t nodes = 1, tasks_per_node = 16, max_restarts = 20;
  std::int64_t shards = 0;  // tasks of a job array; 0 = one job
  std::string time, partition, account;
  SlurmLauncher launcher = SlurmLauncher::mpirun;
};

// Every job a script describes goes on after a time limit, a kill or a lost node, and gives up after
// `max_restarts`. Both throw UserError 2 with everything that sbatch would refuse or that could not work.
[[nodiscard]] std::string sweep_script(const SlurmJob&);
[[nodiscard]] std::string profile_script(const SlurmJob&);

// One word for a POSIX shell, whatever bytes it holds; quoted only where it has to be.
[[nodiscard]] std::string shell_quoted(std::string_view);
// Minutes of a Slurm time: M, M:S, H:M:S, D-H, D-H:M or D-H:M:S; nothing where it is none of these.
[[nodiscard]] std::optional<double> slurm_minutes(std::string_view);

}  // namespace echo::apps
