// Batch scripts for Slurm, as text for sbatch: a sweep on some nodes, a sweep as a job array that merges
// itself, the profilers on a GPU node.
#pragma once

#include <string>
#include <string_view>

#include "cli/slurm/slurm_job.hpp"

namespace echo::cli {

// Every job described by a script is requeued after a time limit, a kill or a lost node, and gives up after
// `max_restarts`. Both throw UserError 2 with everything that sbatch would refuse or that could not work.
[[nodiscard]] std::string sweep_script(const SlurmJob&);
[[nodiscard]] std::string profile_script(const SlurmJob&);

// One word for a POSIX shell, whatever bytes it holds; quoted only where it has to be.
[[nodiscard]] std::string shell_quoted(std::string_view);

}  // namespace echo::cli
