// The identity of a process as stored in a lock.
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "parallel/launch/launch_lock.hpp"
#include "parallel/platform/host.hpp"

namespace echo::parallel {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct ProcessState {
  char state = '\0';  // '\0' = there is no such process
  std::int64_t born = 0;
};

// proc(5): the name stands in parentheses and may hold any character; state is field 3, start time field 22.
ProcessState state_of(std::int64_t pid) {
  const std::string text = text_of("/proc/" + std::to_string(pid) + "/stat");
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(text.substr(name_end + 1));
  ProcessState found;
  fields >> found.state;
  std::string skipped;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  fields >> found.born;
  return found;
}

std::string first_word(const std::string& text) { return text.substr(0, text.find_first_of(" \n")); }

}  // namespace

ProcessPlace this_process() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::error_code error;
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return first_word(value == nullptr ? "" : value);
  };
  return {.host = host.data(),
          .boot = first_word(text_of("/proc/sys/kernel/random/boot_id")),
          .pid_space = std::filesystem::read_symlink("/proc/self/ns/pid", error).string(),
          .pid = ::getpid(),
          .born = state_of(::getpid()).born,
          .job = variable("SLURM_JOB_ID"),
          .restarts = std::atoll(variable("SLURM_RESTART_COUNT").c_str())};
}

bool is_running_here(const ProcessPlace& process) {
  const ProcessState found = state_of(process.pid);
  const bool is_dead = found.state == '\0' || found.state == 'Z' || found.state == 'X';
  return !is_dead && found.born == process.born;
}

Holder judge_holder(const ProcessPlace& holder, const ProcessPlace& here,
                    const std::function<bool(const ProcessPlace&)>& is_running) {
  if (holder.host == here.host && holder.boot == here.boot && holder.pid_space == here.pid_space)
    return is_running(holder) ? Holder::alive : Holder::gone;
  if (!holder.job.empty() && holder.job == here.job && holder.restarts < here.restarts) return Holder::gone;
  return Holder::unknown;
}

}  // namespace echo::parallel
