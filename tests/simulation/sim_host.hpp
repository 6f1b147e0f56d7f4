// Hosts and messages of the simulation, as its processes see them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parallel/platform/host.hpp"
#include "parallel/platform/mail.hpp"
#include "tests/simulation/world.hpp"

namespace echo::simulation {

class SimHost : public parallel::Host {
 public:
  // `has_mail`: whether a message waits for this process. Naps while waiting for one are stretched, as on a
  // busy machine: a step for every 50 microseconds would be most of the work.
  SimHost(World& world, Process& process, std::function<bool()> has_mail)
      : world_(world), process_(process), has_mail_(std::move(has_mail)) {}
  parallel::ProcessPlace place() override { return process_.place; }
  bool is_running(const parallel::ProcessPlace&) override;
  Time now() override { return Time(std::chrono::nanoseconds(world_.now)); }
  std::string utc() override { return "2026-01-01T00:00:00Z"; }
  std::string token() override;
  void sleep(Wait) override;
  std::unique_ptr<parallel::Ticker> every(Wait first, Act) override;
  bool stop_requested() override { return process_.is_asked_to_stop; }
  bool stop_now_requested() override { return process_.is_asked_again; }
  void note_crashes_in(volatile std::int32_t* place) override { process_.crash_place = place; }

 private:
  World& world_;
  Process& process_;
  std::function<bool()> has_mail_;
};

// What the workers of one job have sent and not received.
struct PostOffice {
  struct Letter {
    int from = 0;
    Nanoseconds arrives = 0;
    std::string bytes;
  };
  struct Round {  // one collective call
    int arrived = 0;
    bool is_sent = false;
    std::string bytes;
    std::vector<std::string> failures;
  };
  int workers = 1;
  std::map<std::pair<int, int>, std::deque<Letter>> letters;  // by receiver and tag
  std::map<std::int64_t, Round> rounds;
};

class SimMail : public parallel::Mail {
 public:
  SimMail(World& world, PostOffice& office, int worker) : world_(world), office_(office), worker_(worker) {}
  [[nodiscard]] int worker() const override { return worker_; }
  [[nodiscard]] int workers() const override { return office_.workers; }
  void wait_for_all() const override;
  void broadcast_bytes(std::string& bytes, int from) const override;
  void share_failure(std::string& failure) const override;
  void send(int to, int tag, std::span<const std::byte>) const override;
  [[nodiscard]] std::optional<int> waiting(int tag) const override;
  void receive(int from, int tag, std::span<std::byte>) const override;
  [[nodiscard]] bool has_any() const;

 private:
  World& world_;
  PostOffice& office_;
  int worker_;
  mutable std::int64_t round_ = 0;
};

}  // namespace echo::simulation
