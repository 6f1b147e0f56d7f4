#include "parallel/platform/launcher.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace echo::parallel {
namespace {

// Set by Open MPI's mpirun, by PMIx (also srun --mpi=pmix), by PMI-1 and -2 (Hydra, srun --mpi=pmi2).
constexpr std::array ranks{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
// What else Open MPI's `ess` and `schizo` components and other MPI libraries look at: PMI's descriptor,
// Slurm, Flux, ALPS, MVAPICH2.
constexpr std::array signs{"PMIX_NAMESPACE", "PMI_FD",      "PMI_SIZE",           "SLURM_PROCID",
                           "FLUX_JOB_ID",    "ALPS_APP_PE", "MV2_COMM_WORLD_RANK"};

// Null if no launcher started this process.
const char* rank_by_launcher() {
  for (const char* name : ranks)
    if (const char* rank = std::getenv(name)) return rank;
  return nullptr;
}

}  // namespace

bool is_launched() { return rank_by_launcher() != nullptr; }

bool is_first_process() {
  const char* rank = rank_by_launcher();
  return rank == nullptr || std::string_view(rank) == "0";
}

bool may_have_peers() {
  return is_launched() ||
         std::ranges::any_of(signs, [](const char* name) { return std::getenv(name) != nullptr; });
}

bool is_on_one_node() {
  const char* const all = std::getenv("OMPI_COMM_WORLD_SIZE");
  const char* const here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  return all != nullptr && here != nullptr && std::string_view(all) == here;
}

}  // namespace echo::parallel
