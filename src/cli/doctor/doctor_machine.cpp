#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "cli/doctor/doctor_checks.hpp"
#include "cli/terminal/terminal.hpp"

namespace echo::cli {

namespace {

using State = Finding::State;
constexpr double gib = 1024.0 * 1024.0 * 1024.0;

// A temporary file in `folder`, removed with this object. `error`: 0, or the errno of the failure.
class TrialFile {
 public:
  explicit TrialFile(const std::filesystem::path& folder)
      : path_((folder / fmt::format(".echo-sweep-doctor-{}", ::getpid())).string()),
        file_(::open(path_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600)) {
    error = file_ < 0 ? errno : 0;
  }
  TrialFile(const TrialFile&) = delete;
  TrialFile& operator=(const TrialFile&) = delete;
  ~TrialFile() {
    if (file_ < 0) return;
    ::close(file_);
    ::unlink(path_.c_str());
  }
  void write_and_sync() {
    if (error == 0 && (::write(file_, "x", 1) != 1 || ::fsync(file_) != 0)) error = errno;
  }
  // HDF5 locks its files in the same way.
  void lock() {
    if (error == 0 && ::flock(file_, LOCK_EX | LOCK_NB) != 0) error = errno;
  }
  int error = 0;

 private:
  std::string path_;
  int file_ = -1;
};

std::string gib_text(double bytes) { return fmt::format("{:.1f} GiB", bytes / gib); }

double free_bytes(const std::filesystem::path& folder) {
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  return error ? 0.0 : static_cast<double>(space.available);
}

Finding check_folder(const std::filesystem::path& folder) {
  Finding finding{.subject = "output folder"};
  TrialFile trial(folder);
  trial.write_and_sync();
  if (trial.error != 0) {
    finding.state = State::broken;
    finding.found = fmt::format("{} cannot be written: {}", folder.string(), std::strerror(trial.error));
    finding.remedy = "work in a writable folder, or name one with -o";
    return finding;
  }
  const double available = free_bytes(folder);
  finding.found = fmt::format("{} can be written, {} free", folder.string(), gib_text(available));
  if (available >= gib) return finding;
  finding.state = State::warning;
  finding.remedy =
      "free some space: a million points take about 0.6 GB with their journals";  // 536 + 59 B per point
  return finding;
}

Finding check_locking(const std::filesystem::path& folder) {
  Finding finding{.subject = "file locking", .found = "works in " + folder.string()};
  const char* setting = std::getenv("HDF5_USE_FILE_LOCKING");
  if (setting != nullptr && std::string_view(setting) == "FALSE") {
    finding.found = "HDF5_USE_FILE_LOCKING=FALSE: HDF5 does not lock its files";
    return finding;
  }
  TrialFile trial(folder);
  if (trial.error != 0) {
    finding.state = State::warning;
    finding.found = "cannot be tested without a file";
    finding.remedy = "make the output folder writable first";
    return finding;
  }
  trial.lock();
  if (trial.error == 0) return finding;
  finding.state = State::warning;
  finding.found =
      fmt::format("files in {} cannot be locked: {}", folder.string(), std::strerror(trial.error));
  finding.remedy = "export HDF5_USE_FILE_LOCKING=FALSE, otherwise HDF5 refuses to open result files there";
  return finding;
}

// Cores this process may use: a batch job or container may have fewer than the machine.
Finding check_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const bool known = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  return {.subject = "cores",
          .found = fmt::format("{} of {} may be used here", known ? CPU_COUNT(&allowed) : online, online)};
}

Finding check_memory() {
  const double page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  const double total = page * static_cast<double>(::sysconf(_SC_PHYS_PAGES));
  const double unused = page * static_cast<double>(::sysconf(_SC_AVPHYS_PAGES));
  return {.subject = "memory", .found = fmt::format("{}, {} unused", gib_text(total), gib_text(unused))};
}

// Open MPI's workers on one node communicate through /dev/shm, 4 MiB each; containers often limit it to 64
// MiB.
Finding check_shared_memory() {
  constexpr double enough = 256.0 * 1024 * 1024;
  const double available = free_bytes("/dev/shm");
  Finding finding{.subject = "shared memory",
                  .found = fmt::format("/dev/shm has {} free", gib_text(available))};
  if (available >= enough) return finding;
  finding.state = State::warning;
  finding.remedy = "give the container more (--shm-size=1g), or use few workers per node";
  return finding;
}

Finding check_terminal() {
  const char* kind = std::getenv("TERM");
  if (!is_terminal(stderr)) return {.subject = "terminal", .found = "none: progress is printed line by line"};
  return {.subject = "terminal",
          .found = fmt::format("{}, {}", kind == nullptr ? "unknown kind" : kind,
                               wants_colour(stderr, false) ? "in colour" : "without colour")};
}

// GPUs listed by the kernel driver; the program itself never uses a GPU.
Finding check_gpus() {
  std::error_code error;
  std::int64_t gpus = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", error)) {
    (void)entry;
    ++gpus;
  }
  if (gpus > 0)
    return {.subject = "GPU",
            .found = fmt::format("{} according to NVIDIA's driver; echo-gpu-info lists them", gpus)};
  return {.subject = "GPU",
          .state = State::missing,
          .found = "no NVIDIA driver",
          .remedy = "none needed: only the profilers use a GPU"};
}

}  // namespace

std::vector<Finding> check_machine(const std::filesystem::path& folder) {
  return {check_folder(folder),  check_locking(folder), check_cores(), check_memory(),
          check_shared_memory(), check_terminal(),      check_gpus()};
}

}  // namespace echo::cli
