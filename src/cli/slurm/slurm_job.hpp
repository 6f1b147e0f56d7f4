// The parameters of a Slurm job, and a check whether Slurm would accept them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echo::cli {

enum class SlurmLauncher : std::int8_t { mpirun, srun };

// The sweep of a script, with paths relative to the folder of submission.
struct SlurmSweep {
  std::string name, sweep, file, program;  // file: the result file; program: echo-sweep
  std::vector<std::string> run_options;    // further options of `run`
};

struct SlurmJob {
  std::optional<SlurmSweep> sweep;  // none: the script takes sweep and result file as its arguments
  std::string command;              // the command that makes this script
  std::int64_t nodes = 1, tasks_per_node = 16, max_restarts = 20;
  std::int64_t shards = 0;  // tasks of a job array; 0 = one job
  std::string time, partition, account;
  SlurmLauncher launcher = SlurmLauncher::mpirun;
};

// UserError 2 with everything that sbatch would refuse or that cannot work.
void check_job(const SlurmJob&);
// Whether Slurm accepts the word unquoted in an #SBATCH line; lists with commas are accepted.
[[nodiscard]] bool is_plain_word(std::string_view);
// Minutes of a Slurm time: M, M:S, H:M:S, D-H, D-H:M or D-H:M:S; nothing if the text has none of these forms.
[[nodiscard]] std::optional<double> slurm_minutes(std::string_view);

// Time before the end of a job at which Slurm signals it; Slurm may do so up to a minute earlier.
inline constexpr int warning_seconds = 180;

}  // namespace echo::cli
