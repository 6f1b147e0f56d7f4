#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "parallel/launch/crash_signal.hpp"
#include "parallel/launch/stop_signal.hpp"
#include "parallel/platform/host.hpp"

namespace echo::parallel {
namespace {

class ThreadTicker : public Ticker {
 public:
  ThreadTicker(Host::Wait first, Host::Act act) : act_(std::move(act)) {
    thread_ = std::jthread([this, first](const std::stop_token& stop) { run(first, stop); });
  }
  void lock() override { mutex_.lock(); }
  void unlock() override { mutex_.unlock(); }

 private:
  void run(Host::Wait wait, const std::stop_token& stop) {
    std::unique_lock held(mutex_);
    while (wait >= Host::Wait::zero()) {
      wake_.wait_for(held, stop, wait, [] { return false; });
      if (stop.stop_requested()) return;
      wait = act_(stop);
    }
  }
  Host::Act act_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // the last member: starts after all others exist
};

class RealHost : public Host {
 public:
  ProcessPlace place() override { return this_process(); }
  bool is_running(const ProcessPlace& process) override { return is_running_here(process); }
  Time now() override { return std::chrono::steady_clock::now(); }
  std::string utc() override { return utc_now(); }
  std::string token() override {
    std::random_device chance;
    char text[20];
    std::snprintf(text, sizeof text, "%08x%08x", chance(), chance());
    return text;
  }
  void sleep(Wait wait) override { std::this_thread::sleep_for(wait); }
  std::unique_ptr<Ticker> every(Wait first, Act act) override {
    return std::make_unique<ThreadTicker>(first, std::move(act));
  }
  bool stop_requested() override { return parallel::stop_requested(); }
  bool stop_now_requested() override { return parallel::stop_now_requested(); }
  void note_crashes_in(volatile std::int32_t* place) override { parallel::note_crashes_in(place); }
};

}  // namespace

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Host& real_host() {
  static RealHost host;
  return host;
}

}  // namespace echo::parallel
