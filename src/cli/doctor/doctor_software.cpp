#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>

#include "cli/doctor/doctor_checks.hpp"
#include "cli/run/build_facts.hpp"
#include "config/catalog/catalog_files.hpp"
#include "storage/hdf5.hpp"

namespace echo::cli {

namespace {

using State = Finding::State;

// The first line printed by a fixed command line; empty if it cannot be started or fails.
std::string first_line_of(const char* command) {
  const std::string quiet = std::string(command) + " 2>/dev/null </dev/null";
  std::FILE* pipe = ::popen(quiet.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  std::array<char, 512> piece{};
  while (std::fgets(piece.data(), piece.size(), pipe) != nullptr) text += piece.data();
  if (::pclose(pipe) != 0) return "";
  return text.substr(0, text.find('\n'));
}

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

Finding check_program() {
  const BuildFacts facts = build_facts();
  Finding finding{.subject = "echo-sweep",
                  .found = fmt::format("{} {}, {} build by {}", facts.version, facts.git_commit,
                                       facts.build_type, facts.compiler)};
  if (facts.build_type == "Release") return finding;
  finding.state = State::warning;
  finding.remedy = "for production sweeps build with cmake --preset release: this build is many times slower";
  return finding;
}

Finding check_launcher() {
  const std::string library = build_facts().mpi, launcher = first_line_of("mpirun --version");
  Finding finding{.subject = "MPI", .found = fmt::format("{}, mpirun {}", library, version_in(launcher))};
  if (launcher.empty()) {
    finding.state = State::missing;
    finding.found = library + ", no mpirun in PATH";
    finding.remedy = "install it (openmpi-bin) or load its module; without it a sweep runs on one worker";
  } else if (version_in(launcher) != version_in(library)) {
    finding.state = State::warning;
    finding.remedy =
        "put the mpirun of that library first in PATH: workers started by a different mpirun each run alone";
  } else if (::geteuid() == 0 &&
             !(is_set("OMPI_ALLOW_RUN_AS_ROOT") && is_set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"))) {
    finding.state = State::warning;
    finding.found += ", which refuses root";
    finding.remedy =
        "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, or work as another user";
  }
  return finding;
}

Finding check_slurm() {
  Finding finding{.subject = "Slurm", .state = State::missing};
  if (first_line_of("command -v sbatch").empty()) {
    finding.found = "no sbatch in PATH";
    finding.remedy =
        "none needed on a single machine; `echo-sweep slurm` prints scripts for clusters with Slurm";
    return finding;
  }
  const std::string version = first_line_of("sbatch --version");
  if (version.empty()) {
    finding.found = "sbatch is installed, but this machine belongs to no cluster (no slurm.conf)";
    finding.remedy = "submit from a machine of the cluster";
    return finding;
  }
  if (!is_set("SLURM_JOB_ID")) return {.subject = "Slurm", .found = version + ", outside of a job"};
  const auto value = [](const char* name) { return is_set(name) ? std::getenv(name) : "?"; };
  return {.subject = "Slurm",
          .found = fmt::format("{}, in job {} of {} tasks on {} nodes", version, value("SLURM_JOB_ID"),
                               value("SLURM_NTASKS"), value("SLURM_JOB_NUM_NODES"))};
}

Finding check_python() {
  const std::string version = first_line_of(
      "python3 -c 'import echo_sweep, h5py, numpy; print(h5py.__version__, numpy.__version__)'");
  const std::size_t blank = version.find(' ');
  if (blank != std::string::npos)
    return {.subject = "Python",
            .found = fmt::format("echo_sweep can be imported, with h5py {} and numpy {}",
                                 version.substr(0, blank), version.substr(blank + 1))};
  return {.subject = "Python",
          .state = State::missing,
          .found = "python3 does not find echo_sweep",
          .remedy = "pip install ./analysis, for tables and pictures of result files"};
}

struct ConstantCounts {
  std::int64_t fitted = 0, all = 0;
};

// Constants of a calibration file; each names its source, `fitted: <table>` if it was measured.
void count_constants(const std::string& path, ConstantCounts& counts) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.find("value = ") == std::string::npos) continue;
    ++counts.all;
    if (line.find("source = \"fitted") != std::string::npos) ++counts.fitted;
  }
}

std::vector<Finding> check_catalog() {
  try {
    const auto inputs = config::read_catalog();
    const auto& catalog = inputs.catalog;
    std::string folders;
    for (const std::string& folder : config::catalog_folders({}))
      folders += (folders.empty() ? "" : ", ") + folder;
    ConstantCounts counts;
    for (const config::InputFile& file : inputs.files) {
      if (file.kind == "calibration") count_constants(file.path, counts);
    }
    Finding presets{.subject = "presets",
                    .found = fmt::format("{} models, {} GPUs, {} clusters, {} frameworks in {}",
                                         catalog.models.size(), catalog.gpus.size(), catalog.clusters.size(),
                                         catalog.frameworks.size(), folders)};
    if (catalog.models.empty() || catalog.clusters.empty()) {
      presets.state = State::broken;
      presets.remedy = "set ECHO_CATALOG_DIR to the folder sweeps/catalog of the source";
    }
    Finding constants{
        .subject = "calibration",
        .found = fmt::format("kernels of {} GPU kinds, {} networks; {} of {} constants fitted to "
                             "measurements, the others from data sheets or assumed",
                             inputs.calibration.kernels.size(), inputs.calibration.networks.size(),
                             counts.fitted, counts.all)};
    return {presets, constants};
  } catch (const std::exception& error) {
    return {{.subject = "presets",
             .state = State::broken,
             .found = fmt::format("cannot be read: {}", error.what()),
             .remedy = "set ECHO_CATALOG_DIR to the folder sweeps/catalog of the source"}};
  }
}

}  // namespace

std::string version_in(std::string_view text) {
  for (std::size_t first = 0; first < text.size(); ++first) {
    const auto is_digit = [&](std::size_t i) {
      return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    };
    if (!is_digit(first)) continue;
    std::size_t end = first, points = 0;
    while (is_digit(end) || (end < text.size() && text[end] == '.' && is_digit(end + 1) && points < 2)) {
      points += text[end] == '.' ? 1 : 0;
      ++end;
    }
    if (points > 0) return std::string(text.substr(first, end - first));
    first = end;
  }
  return "";
}

std::vector<Finding> check_software() {
  std::vector<Finding> findings{check_program()};
  for (Finding& finding : check_catalog()) findings.push_back(std::move(finding));
  findings.push_back(check_launcher());
  findings.push_back({.subject = "HDF5", .found = storage::hdf5_version()});
  findings.push_back(check_slurm());
  findings.push_back(check_python());
  return findings;
}

}  // namespace echo::cli
