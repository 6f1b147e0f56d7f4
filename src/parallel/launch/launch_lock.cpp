// The problem: a lock that outlives a killed holder, on file systems whose flock() may do nothing and whose
// clocks differ. Making: a private file is written, then link()ed to the lock's name, which fails where there
// is one; link is atomic on NFS too. Stale: on the same host, when the process is gone; in the same Slurm
// job, when this is a later restart of it; elsewhere, when the counter in the lock does not move while we
// watch, by our own steady clock (no time stamp is compared). Taking away: rename() the lock to a name of our
// own, which only one of several can do, make sure that what was renamed is what was judged (else put it
// back), then start over with link(). What remains: between the rename of a lock that is not the one judged
// and its being put back, a third launch can take the name. The holder then finds a stranger's lock.
//
// A holder may be frozen for longer than others watch, and go on when another has its place. It is fenced in:
// before every rename and removal it reads the lock again (check()), and whoever takes the lock removes the
// unfinished files of all others before it reads anything (remove_unfinished(), publish.hpp). A rename is
// thus refused either by its check or, where the freeze falls between the two, because its source is gone.
#include "parallel/launch/launch_lock.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

#include "base/error.hpp"

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
  if (!facts.token.empty()) text << "token " << facts.token << '\n';
  return text.str();
}

[[noreturn]] void refuse(const std::filesystem::path& lock, int reason) {
  throw UserError("cannot write beside the result: \"" + lock.string() + "\": " + std::strerror(reason),
                  "create the folder, free some space, or write elsewhere with -o", 5);
}

bool is_same_launch(const LockFacts& a, const LockFacts& b) {
  return text_before_beat(a) == text_before_beat(b);
}

std::filesystem::path with_ending(std::filesystem::path name, const std::string& ending) {
  return name += ending;
}

// 0, or why not. Synced: after a loss of power an empty lock would be nobody's, and in everybody's way.
int write_new_file(Disk& disk, const std::filesystem::path& path, const std::string& text) {
  const auto [file, error] = disk.open(path, Disk::Use::create);
  if (error != 0) return error;
  int reason = file->append(text);
  if (reason == 0) reason = file->sync();
  const int closing = file->close();
  return reason != 0 ? reason : closing;
}

// A launch that wants the lock, and what it works with.
struct Claimant {
  std::filesystem::path lock;
  LockOptions options;
  LockFacts facts;
  Disk& disk;
  Host& host;

  // False when the name is taken.
  [[nodiscard]] bool make_lock() const {
    const auto own = with_ending(lock, "." + facts.token);
    const std::string text = text_before_beat(facts) + beat_line(0);
    int reason = write_new_file(disk, own, text);
    if (reason == 0) reason = disk.link(own, lock);
    static_cast<void>(disk.remove(own));
    if (reason == EPERM || reason == EOPNOTSUPP || reason == ENOSYS)  // a file system without links
      reason = write_new_file(disk, lock, text);
    if (reason != 0 && reason != EEXIST) refuse(lock, reason);
    return reason == 0;
  }

  // Takes that lock out of the way, unless it is another one by now.
  void take_away(const LockFacts& judged) const {
    const auto aside = with_ending(lock, "." + facts.token + ".stale");
    if (disk.rename(lock, aside) != 0) return;  // another process did
    const auto renamed = read_lock(aside, disk);
    const bool is_judged = renamed && is_same_launch(*renamed, judged);
    if (!is_judged) static_cast<void>(disk.link(aside, lock));
    static_cast<void>(disk.remove(aside));
  }

  // Whether the holder on another host shows life within the time it is given.
  [[nodiscard]] bool beats(const LockFacts& seen) const {
    const auto give_up = host.now() + options.beats_watched * options.beat;
    while (host.now() < give_up) {
      host.sleep(options.beat / 4);
      const auto now = read_lock(lock, disk);
      if (!now || !is_same_launch(*now, seen)) return false;  // another lock, or none: look again
      if (now->beat != seen.beat) return true;
    }
    return false;
  }

  void acquire() const {
    while (!make_lock()) {
      const auto other = read_lock(lock, disk);
      if (!other && disk.kind(lock) != EntryKind::absent)
        throw UserError("\"" + lock.string() + "\" is not a lock of this program",
                        "remove it, or write elsewhere with -o", 5);
      if (!other) continue;  // released meanwhile
      const Holder holder = judge_holder(other->holder, facts.holder,
                                         [this](const ProcessPlace& p) { return host.is_running(p); });
      if (holder == Holder::unknown) options.on_wait(describe_holder(*other));
      if (holder == Holder::alive || (holder == Holder::unknown && beats(*other)))
        throw UserError(
            "another launch is running on this result file: " + describe_holder(*other),
            "wait for it (echo-sweep status shows its progress), end it, or write elsewhere with -o", 5);
      take_away(*other);
    }
  }
};

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
    if (key == "token") facts.token = value;
    if (key == "beat") facts.beat = number, is_whole = true;
  }
  return is_whole ? std::optional(facts) : std::nullopt;
}

std::optional<LockFacts> read_lock(const std::filesystem::path& lock, Disk& disk) {
  const auto text = read_whole(disk, lock);
  return text.it != nullptr ? parse_lock(*text.it) : std::nullopt;
}

std::string describe_holder(const LockFacts& facts) {
  const ProcessPlace& p = facts.holder;
  return "host " + p.host + ", process " + std::to_string(p.pid) + (p.job.empty() ? "" : ", job " + p.job) +
         ", since " + facts.since;
}

void tell_wait(const std::string& holder) {
  std::fprintf(stderr, "the result file is locked (%s); checking whether that launch is alive\n",
               holder.c_str());
}

struct LaunchLock::State : Claimant {
  std::atomic<bool> is_lost = false;
  std::unique_ptr<Ticker> heart;

  // Opened again for each beat: closing is what makes other nodes of a network file system see it. Read and
  // written through one descriptor: what lies under the name by then may be another launch's.
  void count_up() {
    const auto [file, error] = disk.open(lock, Disk::Use::update);
    if (error != 0 && error != ENOENT) return;  // at worst it is taken for stale, and is_lost then says so
    const std::string own = text_before_beat(facts);
    std::string there(own.size() + beat_line(0).size() + 1, '\0');
    const std::int64_t got = file == nullptr ? 0 : file->read(0, there);
    if (got < 0) return;
    there.resize(static_cast<std::size_t>(got));
    const auto now = parse_lock(there);
    if (!now || !is_same_launch(*now, facts)) {
      is_lost = true;
      return;
    }
    static_cast<void>(file->overwrite(static_cast<std::int64_t>(own.size()), beat_line(++facts.beat)));
  }
};

LaunchLock::LaunchLock(const std::filesystem::path& result_file, LockOptions options, Disk& disk, Host& host)
    : state_(new State{{.lock = lock_file(result_file),
                        .options = std::move(options),
                        .facts = {.holder = host.place(), .since = host.utc(), .token = host.token()},
                        .disk = disk,
                        .host = host}}) {
  State& s = *state_;
  static_cast<void>(disk.make_folders(folder_of(s.lock)));  // a failure shows when the lock is made
  s.acquire();
  s.heart = host.every(s.options.beat, [&s](const std::stop_token&) {
    s.count_up();
    return s.is_lost ? Host::Wait(-1) : Host::Wait(s.options.beat);
  });
}

LaunchLock::~LaunchLock() {
  state_->heart.reset();
  const auto now = read_lock(state_->lock, state_->disk);
  if (now && is_same_launch(*now, state_->facts)) state_->take_away(state_->facts);
}

bool LaunchLock::is_lost() const { return state_->is_lost; }

const std::string& LaunchLock::token() const { return state_->facts.token; }

void LaunchLock::check() const {
  const auto now = read_lock(state_->lock, state_->disk);
  if (!state_->is_lost && now && is_same_launch(*now, state_->facts)) return;
  throw UserError("the lock \"" + state_->lock.string() + "\" was taken by another launch",
                  "let that one finish; rows written so far are kept", 5);
}

}  // namespace echo::parallel
