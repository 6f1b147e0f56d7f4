#include "tests/simulation/sim_host.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace echo::simulation {
namespace {

class SimTicker : public parallel::Ticker {
 public:
  SimTicker(World& world, Process& process, parallel::Host::Wait first, parallel::Host::Act act)
      : world_(world), process_(process), act_(std::move(act)) {
    if (process.is_dead) return;
    thread_ =
        process.threads.emplace_back(std::make_unique<Thread>(process, [this, first] { run(first.count()); }))
            .get();
    thread_->wake = world.now;
  }
  SimTicker(const SimTicker&) = delete;
  SimTicker& operator=(const SimTicker&) = delete;
  ~SimTicker() override {
    stop_.request_stop();
    while (!is_over_ && !process_.is_dead && thread_ != nullptr)
      if (!world_.wait_quietly([this] { return is_over_; })) break;
  }
  void lock() override {
    while (is_held_ && !process_.is_dead) world_.wait_quietly([this] { return !is_held_; });
    is_held_ = true;
  }
  void unlock() override { is_held_ = false; }

 private:
  void run(Nanoseconds wait) {
    struct End {
      bool& is_over;
      ~End() { is_over = true; }
    } const end{is_over_};
    while (wait >= 0) {
      if (!world_.wait_or_sleep([this] { return stop_.stop_requested(); }, wait)) return;
      if (stop_.stop_requested()) return;
      lock();
      struct Release {
        bool& is_held;
        ~Release() { is_held = false; }
      } const release{is_held_};
      wait = act_(stop_.get_token()).count();
      if (process_.is_dead) return;
    }
  }
  World& world_;
  Process& process_;
  parallel::Host::Act act_;
  std::stop_source stop_;
  Thread* thread_ = nullptr;
  bool is_held_ = false, is_over_ = false;
};

}  // namespace

bool SimHost::is_running(const parallel::ProcessPlace& place) {
  return std::ranges::any_of(world_.processes, [&](const auto& process) {
    return process->place.pid == place.pid && process->place.host == place.host && !process->is_over;
  });
}

std::string SimHost::token() {
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(world_.chance.draw()));
  return text;
}

void SimHost::sleep(Wait wait) {
  if (wait >= std::chrono::milliseconds(1)) {
    world_.sleep(wait.count());
    return;
  }
  const bool asked = process_.is_asked_to_stop;
  const Nanoseconds most = world_.chance.between(1, 400) * millisecond;
  if (!world_.wait_or_sleep([this, asked] { return has_mail_() || process_.is_asked_to_stop != asked; },
                            most))
    world_.pause();
}

std::unique_ptr<parallel::Ticker> SimHost::every(Wait first, Act act) {
  return std::make_unique<SimTicker>(world_, process_, first, std::move(act));
}

void SimMail::wait_for_all() const {
  const std::int64_t round = round_++;
  ++office_.rounds[round].arrived;
  world_.wait([this, round] { return office_.rounds[round].arrived == office_.workers; });
}

void SimMail::broadcast_bytes(std::string& bytes, int from) const {
  const std::int64_t round = round_++;
  world_.pause();
  if (worker_ == from) {
    office_.rounds[round].bytes = bytes;
    office_.rounds[round].is_sent = true;
    return;
  }
  world_.wait([this, round] { return office_.rounds[round].is_sent; });
  bytes = office_.rounds[round].bytes;
}

void SimMail::share_failure(std::string& failure) const {
  const std::int64_t round = round_++;
  world_.pause();
  PostOffice::Round& shared = office_.rounds[round];
  shared.failures.resize(static_cast<std::size_t>(office_.workers));
  shared.failures[static_cast<std::size_t>(worker_)] = failure;
  ++shared.arrived;
  world_.wait([this, round] { return office_.rounds[round].arrived == office_.workers; });
  for (const std::string& one : office_.rounds[round].failures)
    if (!one.empty()) {
      failure = one;
      return;
    }
}

void SimMail::send(int to, int tag, std::span<const std::byte> bytes) const {
  world_.pause();
  auto& box = office_.letters[{to, tag}];
  Nanoseconds arrives = world_.now + world_.chance.between(1, 500) * microsecond;
  for (const auto& letter : box)
    if (letter.from == worker_) arrives = std::max(arrives, letter.arrives);
  box.push_back({worker_, arrives, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
}

std::optional<int> SimMail::waiting(int tag) const {
  world_.pause();
  const auto box = office_.letters.find({worker_, tag});
  if (box == office_.letters.end()) return std::nullopt;
  for (const auto& letter : box->second)
    if (letter.arrives <= world_.now) return letter.from;
  return std::nullopt;
}

void SimMail::receive(int from, int tag, std::span<std::byte> out) const {
  auto& box = office_.letters[{worker_, tag}];
  const auto letter = std::ranges::find(box, from, &PostOffice::Letter::from);
  if (letter == box.end() || letter->bytes.size() != out.size()) {
    world_.fail("a message was not there");
    return;
  }
  std::memcpy(out.data(), letter->bytes.data(), out.size());
  box.erase(letter);
}

bool SimMail::has_any() const {
  for (const auto& [to, box] : office_.letters)
    if (to.first == worker_)
      for (const auto& letter : box)
        if (letter.arrives <= world_.now) return true;
  return false;
}

}  // namespace echo::simulation
