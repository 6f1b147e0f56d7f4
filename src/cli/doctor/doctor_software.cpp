#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>

#include "base/error.hpp"
#include "cli/doctor/doctor_checks.hpp"
#include "cli/run/build_facts.hpp"
#include "config/catalog/built_in_catalog.hpp"
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
                  .found = fmt::format("{}, commit {}, {} build by {}", facts.version, facts.git_commit,
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
  const std::string versions = first_line_of(
      "python3 -c 'import echo_sweep, h5py, numpy; print(echo_sweep.__version__, h5py.__version__, "
      "numpy.__version__)'");
  Finding finding{.subject = "Python"};
  if (versions.empty()) {
    finding.state = State::missing;
    finding.found = "python3 does not find echo_sweep with h5py and numpy";
    finding.remedy =
        "for tables and pictures of result files: apt-get install python3-h5py python3-numpy where "
        "echo-sweep is installed below /usr, else python3 -m venv VENV && VENV/bin/pip install ./analysis";
    return finding;
  }
  const std::size_t first = versions.find(' '), second = versions.find(' ', first + 1);
  const std::string own = versions.substr(0, first);
  finding.found = fmt::format("echo_sweep {} can be imported, with h5py {} and numpy {}", own,
                              versions.substr(first + 1, second - first - 1), versions.substr(second + 1));
  if (own == build_facts().version) return finding;
  finding.state = State::warning;
  finding.remedy = fmt::format("install echo_sweep {}, the version of this program", build_facts().version);
  return finding;
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

// Where the catalog lies, what it holds, and how much of it was measured.
std::vector<Finding> check_catalog() {
  Finding catalog{.subject = "catalog"};
  try {
    const config::CatalogSearch search = config::catalog_search();
    catalog.found = fmt::format("{}, {}", config::built_in_catalog(search),
                                search.chosen.empty() ? "beside the program" : "as ECHO_CATALOG_DIR says");
  } catch (const UserError& error) {
    catalog.state = State::broken;
    catalog.found = error.problems().front().what;
    catalog.remedy = error.problems().front().remedy;
    return {catalog};
  }
  Finding presets{.subject = "presets"};
  try {
    const auto folders = config::catalog_folders({});
    const auto inputs = config::read_catalog(folders);
    const auto& known = inputs.catalog;
    presets.found = fmt::format("{} models, {} GPUs, {} clusters, {} frameworks in {}", known.models.size(),
                                known.gpus.size(), known.clusters.size(), known.frameworks.size(),
                                fmt::join(folders, ", "));
    if (known.models.empty() || known.clusters.empty()) {
      presets.state = State::broken;
      presets.remedy = "install the program together with its catalog (cmake --install)";
    }
    ConstantCounts counts;
    for (const config::InputFile& file : inputs.files) {
      if (file.kind == "calibration") count_constants(file.path, counts);
    }
    Finding constants{
        .subject = "calibration",
        .found = fmt::format("kernels of {} GPU kinds, {} networks; {} of {} constants fitted to "
                             "measurements, the others from data sheets or assumed",
                             inputs.calibration.kernels.size(), inputs.calibration.networks.size(),
                             counts.fitted, counts.all)};
    return {catalog, presets, constants};
  } catch (const std::exception& error) {
    presets.state = State::broken;
    presets.found = fmt::format("cannot be read: {}", error.what());
    presets.remedy = "mend the file that is named";
    return {catalog, presets};
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
