// What a Slurm job is asked for, and whether Slurm would take it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace echo::cli {

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

// UserError 2 with everything that sbatch would refuse or that could not work.
void check_job(const SlurmJob&);
// A word that Slurm takes as it is in an #SBATCH line, lists with commas included.
[[nodiscard]] bool is_plain_word(std::string_view);
// Minutes of a Slurm time: M, M:S, H:M:S, D-H, D-H:M or D-H:M:S; nothing where it is none of these.
[[nodiscard]] std::optional<double> slurm_minutes(std::string_view);

// How long before its end a job is told of it; Slurm may say so up to a minute earlier.
inline constexpr int warning_seconds = 180;

}  // namespace echo::cli
