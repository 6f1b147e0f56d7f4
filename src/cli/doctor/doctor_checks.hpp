// Checks of an installation: one finding per subject, each with a remedy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace echo::cli {

struct Finding {
  enum class State : std::int8_t {
    ok,
    warning,  // works, but with drawbacks
    missing,  // an optional part is missing
    broken    // no sweep can run
  };
  std::string subject;  // "MPI launcher"
  State state = State::ok;
  std::string found, remedy;  // no remedy if all is well
};

// Output folder, cores, memory, shared memory, terminal, GPUs. Writes and removes a small file in `folder`.
[[nodiscard]] std::vector<Finding> check_machine(const std::filesystem::path& folder);
// The program itself, its catalog and constants, MPI, HDF5, Slurm, Python. Starts mpirun, sbatch and python3
// to query their versions.
[[nodiscard]] std::vector<Finding> check_software();

// The first number of two or three parts in a text ("mpirun (Open MPI) 4.1.4" -> "4.1.4"); empty if there
// is none.
[[nodiscard]] std::string version_in(std::string_view text);

}  // namespace echo::cli
