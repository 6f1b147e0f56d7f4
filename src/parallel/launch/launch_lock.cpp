// The problem: a lock that outlives a killed holder, on file systems whose flock() may do nothing and whose
// clocks differ. Making: a private file is written, then link()ed to the lock's name, which fails where there
// is one; link is atomic on NFS too. Stale: on the same host, when the process is gone; in the same Slurm
// job, when this is a later restart of it; elsewhere, when the counter in the lock does not move while we
// watch, by our own steady clock (no time stamp is compared). Stealing: rename() the stale lock away, which
// only one of several can do, make sure that what was renamed is what was judged (else put it back), then
// start over with link(). What remains: between the rename of a lock that is not the one judged and its being
// put back, a third launch can take the name. The holder then finds a stranger's lock at its next heartbeat,
// and ends with exit code 5; rows that both wrote meanwhile are equal, and kept once.
#include "parallel/launch/launch_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>
#include <thread>

#include "base/error.hpp"
#include "parallel/journal/journal.hpp"

namespace echo::parallel {
namespace {

constexpr const char* title = "echo-sweep lock 1";

std::string beat_line(std::int64_t beat) {
  std::array<char, 32> line{};
  std::snprintf(line.data(), line.size(), "beat %012lld\n", static_cast<long long>(beat));
  return line.data();
}

std::string text_before_beat(const LockFacts& facts) {
  const ProcessPlace& p = facts.holder;
  std::ostringstream text;
  text << title << "\nhost " << p.host << "\nboot " << p.boot << "\npid_space " << p.pid_space << "\npid "
       << p.pid << "\nborn " << p.born << "\njob " << p.job << "\nrestarts " << p.restarts << "\nsince "
       << facts.since << '\n';
  return text.str();
}

[[noreturn]] void refuse(const std::filesystem::path& lock, int reason) {
  throw UserError("cannot write beside the result: \"" + lock.string() + "\": " + std::strerror(reason),
                  "create the folder, free some space, or write elsewhere with -o", 5);
}

// 0, or why not.
int write_new_file(const std::filesystem::path& path, const std::string& text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return errno;
  errno = ENOSPC;  // the meaning of a short write
  const bool is_written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int reason = is_written ? 0 : errno;
  return ::close(file) == 0 || reason != 0 ? reason : errno;
}

// False when the name is taken.
bool make_lock(const std::filesystem::path& lock, const LockFacts& facts) {
  auto own = lock;
  own += "." + facts.holder.host + "." + std::to_string(facts.holder.pid);
  const std::string text = text_before_beat(facts) + beat_line(0);
  ::unlink(own.c_str());  // of a process that had our number and was killed here
  int reason = write_new_file(own, text);
  if (reason == 0 && ::link(own.c_str(), lock.c_str()) != 0) reason = errno;
  ::unlink(own.c_str());
  if (reason == EPERM || reason == EOPNOTSUPP || reason == ENOSYS)  // a file system without links
    reason = write_new_file(lock, text);
  if (reason != 0 && reason != EEXIST) refuse(lock, reason);
  return reason == 0;
}

// Takes the stale lock out of the way, unless it is another one by now.
void remove_stale(const std::filesystem::path& lock, const LockFacts& judged) {
  auto aside = lock;
  aside += ".stale." + std::to_string(::getpid());
  if (::rename(lock.c_str(), aside.c_str()) != 0) return;  // another process did
  const auto renamed = read_lock(aside);
  const bool is_judged = renamed && text_before_beat(*renamed) == text_before_beat(judged);
  if (!is_judged) static_cast<void>(::link(aside.c_str(), lock.c_str()));
  ::unlink(aside.c_str());
}

// Whether the holder on another host shows life within the time it is given.
bool beats(const std::filesystem::path& lock, const LockFacts& seen, const LockOptions& options) {
  std::fprintf(stderr, "the result file is locked (%s); checking whether that launch is alive\n",
               describe_holder(seen).c_str());
  const auto give_up = std::chrono::steady_clock::now() + options.beats_watched * options.beat;
  while (std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(options.beat / 4);
    const auto now = read_lock(lock);
    if (!now || text_before_beat(*now) != text_before_beat(seen))
      return false;  // another lock, or none: look again
    if (now->beat != seen.beat) return true;
  }
  return false;
}

void acquire(const std::filesystem::path& lock, const LockFacts& own, const LockOptions& options) {
  while (!make_lock(lock, own)) {
    const auto other = read_lock(lock);
    if (!other && std::filesystem::exists(lock))
      throw UserError("\"" + lock.string() + "\" is not a lock of this program",
                      "remove it, or write elsewhere with -o", 5);
    if (!other) continue;  // released meanwhile
    const Holder holder = judge_holder(other->holder, own.holder, is_running_here);
    if (holder == Holder::alive || (holder == Holder::unknown && beats(lock, *other, options)))
      throw UserError(
          "another launch is running on this result file: " + describe_holder(*other),
          "wait for it (echo-sweep status shows its progress), end it, or write elsewhere with -o", 5);
    remove_stale(lock, *other);
  }
}

}  // namespace

std::filesystem::path lock_file(const std::filesystem::path& result_file) {
  auto lock = result_file;
  lock += ".lock";
  return lock;
}

std::optional<LockFacts> parse_lock(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string line;
  if (!std::getline(lines, line) || line != title) return std::nullopt;
  LockFacts facts;
  ProcessPlace& p = facts.holder;
  bool is_whole = false;
  while (std::getline(lines, line)) {
    const auto blank = line.find(' ');
    const std::string key = line.substr(0, blank);
    const std::string value = blank == std::string::npos ? "" : line.substr(blank + 1);
    const std::int64_t number = std::atoll(value.c_str());
    if (key == "host") p.host = value;
    if (key == "boot") p.boot = value;
    if (key == "pid_space") p.pid_space = value;
    if (key == "pid") p.pid = number;
    if (key == "born") p.born = number;
    if (key == "job") p.job = value;
    if (key == "restarts") p.restarts = number;
    if (key == "since") facts.since = value;
    if (key == "beat") facts.beat = number, is_whole = true;
  }
  return is_whole ? std::optional(facts) : std::nullopt;
}

std::optional<LockFacts> read_lock(const std::filesystem::path& lock) {
  std::ifstream file(lock);
  return parse_lock(std::string(std::istreambuf_iterator<char>(file), {}));
}

std::string describe_holder(const LockFacts& facts) {
  const ProcessPlace& p = facts.holder;
  return "host " + p.host + ", process " + std::to_string(p.pid) + (p.job.empty() ? "" : ", job " + p.job) +
         ", since " + facts.since;
}

struct LaunchLock::State {
  std::filesystem::path path;
  LockOptions options;
  LockFacts facts;
  std::atomic<bool> is_lost = false;
  std::mutex mutex;
  std::condition_variable ended;
  bool is_ending = false;
  std::thread thread;

  // Opened again for each beat: closing is what makes other nodes of a network file system see it.
  void count_up() {
    const auto now = read_lock(path);
    const std::string own = text_before_beat(facts);
    if (!now || text_before_beat(*now) != own) {
      is_lost = true;
      return;
    }
    const std::string line = beat_line(++facts.beat);
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) return;  // at worst it is taken for stale, and is_lost then says so
    static_cast<void>(::pwrite(file, line.data(), line.size(), static_cast<off_t>(own.size())) != 0);
    ::close(file);
  }

  void beat_until_the_end() {
    std::unique_lock held(mutex);
    while (!ended.wait_for(held, options.beat, [this] { return is_ending; }) && !is_lost) count_up();
  }
};

LaunchLock::LaunchLock(const std::filesystem::path& result_file, LockOptions options)
    : state_(new State{.path = lock_file(result_file),
                       .options = options,
                       .facts = {.holder = this_process(), .since = utc_now()}}) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::absolute(result_file).parent_path(), error);
  acquire(state_->path, state_->facts, options);
  state_->thread = std::thread([state = state_.get()] { state->beat_until_the_end(); });
}

LaunchLock::~LaunchLock() {
  {
    const std::scoped_lock held(state_->mutex);
    state_->is_ending = true;
  }
  state_->ended.notify_all();
  state_->thread.join();
  const auto now = read_lock(state_->path);
  if (now && text_before_beat(*now) == text_before_beat(state_->facts)) ::unlink(state_->path.c_str());
}

bool LaunchLock::is_lost() const { return state_->is_lost; }

}  // namespace echo::parallel
