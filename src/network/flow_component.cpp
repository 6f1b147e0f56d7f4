#include "network/flow_component.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "network/fold.hpp"
#include "network/max_min.hpp"

namespace echo::network {
namespace {

constexpr SimTime never = SimTime::max();

class Component {
 public:
  Component(std::vector<Course*> courses, std::span<const double> capacity, FlowTimes& out)
      : courses_(std::move(courses)), capacity_(capacity), out_(out) {}

  void run() {
    for (Course* c : courses_) c->wake += c->latency;
    while (true) {
      skip_rounds();
      if (begin_phases()) {
        regroup();
      } else {
        settle();
      }
      const SimTime next = std::min(next_end(), next_wake());
      if (next == never) return;
      advance(next);
    }
  }

 private:
  struct Flow {
    Course* course = nullptr;
    std::int32_t transfer = 0;
  };

  // Identical flows in progress: bytes left of each at `since`, and when they end at the present rate.
  struct FlowClass {
    double left = 0.0, rate = 0.0;
    SimTime since{}, end = never;
    bool runs = true;
  };

  [[nodiscard]] SimTime next_wake() const {
    SimTime wake = never;
    for (const Course* c : courses_)
      if (!c->done() && !c->transferring) wake = std::min(wake, c->wake);
    return wake;
  }

  // Whether any transfer began.
  bool begin_phases() {
    bool any = false;
    for (Course* c : courses_) {
      while (!c->done() && !c->transferring && c->wake <= now_) begin(*c);
      any = any || (c->transferring && c->began == now_);
    }
    return any;
  }

  void begin(Course& c) {
    const RoutedPhase& phase = c.now();
    if (c.left == 0) c.left = phase.repeat;
    c.started = c.transferring = true;
    c.arrived = c.began = now_;
    c.bytes_left = phase.bytes;
    c.transfers_left = 0;
    for (std::size_t i = 0; i < phase.bytes.size(); ++i) {
      const bool moves = phase.bytes[i] > 0.0 && !phase.routes.of(static_cast<std::int32_t>(i)).empty();
      if (moves) {
        ++c.transfers_left;
      } else {
        c.bytes_left[i] = -1.0;
        c.arrived = std::max(c.arrived, now_ + phase.latency[i]);
      }
    }
    if (c.transfers_left == 0) finish(c);
  }

  void carry(const Course& c, double times) {
    const RoutedPhase& phase = c.now();
    for (std::int32_t i = 0; i < phase.routes.size(); ++i)
      phase.routes.of(i).for_each([&](const LinkUse& use) {
        out_.link_bytes[at(use.link)] += times * phase.bytes[at(i)] * use.share;
      });
  }

  void finish(Course& c) {
    carry(c, 1.0);
    c.transferring = false;
    if (--c.left == 0) ++c.phase;
    if (c.done()) c.end = c.arrived;
    c.wake = c.arrived + c.latency;
  }

  // The transfers in progress, in the order of activities.
  void gather() {
    running_.clear();
    flows_.clear();
    kinds_.clear();
    for (std::size_t i = 0; i < courses_.size(); ++i) {
      Course& c = *courses_[i];
      if (!c.transferring) continue;
      for (std::int32_t t = 0; t < c.now().routes.size(); ++t) {
        const double left = c.bytes_left[at(t)];
        if (left < 0.0) continue;
        running_.push_back({&c, t});
        flows_.push_back(c.now().routes.of(t));
        kinds_.push_back(draw(std::bit_cast<std::uint64_t>(left), i,
                              static_cast<std::uint64_t>(c.now().latency[at(t)].count())));
      }
    }
  }

  [[nodiscard]] double left_now(const FlowClass& c) const {
    return std::max(0.0, c.left - c.rate * static_cast<double>((now_ - c.since).count()) * 1e-12);
  }

  // Classes and rates of all transfers in progress.
  void regroup() {
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      if (!classes_[c].runs) continue;
      const double left = left_now(classes_[c]);
      for (const std::int32_t f : members_.row(static_cast<std::int32_t>(c)))
        running_[at(f)].course->bytes_left[at(running_[at(f)].transfer)] = left;
    }
    gather();
    fold(flows_, kinds_, capacity_, folded_);
    list_members();
    rates_.bind(folded_.uses, folded_.capacity);
    classes_.clear();
    for (std::size_t c = 0; c < folded_.first.size(); ++c) {
      const Flow& flow = running_[at(folded_.first[c])];
      classes_.push_back({.left = flow.course->bytes_left[at(flow.transfer)], .since = now_});
      rates_.start(static_cast<std::int32_t>(c));
    }
    is_settled_ = false;
    settle();
  }

  void list_members() {
    members_.offset.assign(folded_.first.size() + 1, 0);
    members_.value.resize(running_.size());
    for (const std::int32_t c : folded_.class_of) ++members_.offset[at(c) + 1];
    std::partial_sum(members_.offset.begin(), members_.offset.end(), members_.offset.begin());
    std::vector<std::int32_t> next(members_.offset.begin(), members_.offset.end() - 1);
    for (std::size_t f = 0; f < running_.size(); ++f)
      members_.value[at(next[at(folded_.class_of[f])]++)] = static_cast<std::int32_t>(f);
  }

  // Rates and ends of the classes that a change affects.
  void settle() {
    if (is_settled_) return;
    is_settled_ = true;
    const auto reached = rates_.settle();
    if (!reached.empty()) ++out_.solutions;
    for (const std::int32_t c : reached) {
      FlowClass& changed = classes_[at(c)];
      if (changed.rate == rates_.rate(c)) continue;
      changed.left = left_now(changed);
      changed.since = now_;
      changed.rate = rates_.rate(c);
      changed.end = now_ + SimTime(std::llround(changed.left / changed.rate * 1e12));
    }
  }

  [[nodiscard]] SimTime next_end() const {
    SimTime least = never;
    for (const FlowClass& c : classes_)
      if (c.runs) least = std::min(least, c.end);
    return least;
  }

  // Time passes to `then`; transfers that end there arrive after their latency.
  void advance(SimTime then) {
    now_ = then;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      if (!classes_[c].runs || classes_[c].end > then) continue;
      classes_[c].runs = is_settled_ = false;
      rates_.stop(static_cast<std::int32_t>(c));
      for (const std::int32_t f : members_.row(static_cast<std::int32_t>(c))) arrive(running_[at(f)]);
    }
  }

  void arrive(const Flow& flow) {
    Course& c = *flow.course;
    c.bytes_left[at(flow.transfer)] = -1.0;
    c.arrived = std::max(c.arrived, now_ + c.now().latency[at(flow.transfer)]);
    if (--c.transfers_left == 0) finish(c);
  }

  // If all activities are between phases and their state equals that of one round before, except for the
  // time, skips whole rounds.
  void skip_rounds() {
    SimTime first_start = never;
    std::size_t placed = 0;
    for (const Course* c : courses_) {
      if (c->done()) continue;
      if (c->transferring) return;
      if (c->started) {
        ++placed;
      } else {
        first_start = std::min(first_start, c->wake);
      }
    }
    if (placed == 0) return;
    SimTime period{};
    std::int64_t rounds = std::numeric_limits<std::int64_t>::max();
    bool alike = last_.size() == courses_.size();
    for (std::size_t i = 0; i < courses_.size() && alike; ++i) {
      const Course& c = *courses_[i];
      alike = c.started == last_[i].started && c.phase == last_[i].phase;
      if (!alike || !c.started || c.done()) continue;
      const std::int64_t used = last_[i].left - c.left;
      const SimTime apart = c.wake - last_[i].wake;
      alike = used > 0 && c.left > 0 && (period == SimTime{} || apart == period);
      period = apart;
      if (alike) rounds = std::min(rounds, (c.left - 1) / used);
    }
    if (alike && first_start != never && period > SimTime{})
      rounds = std::min<std::int64_t>(rounds, (first_start - now_) / period - 1);
    if (alike && rounds > 0 && period > SimTime{}) skip(rounds, period);
    last_.clear();
    for (const Course* c : courses_) last_.push_back({c->started, c->phase, c->left, c->wake});
  }

  void skip(std::int64_t rounds, SimTime period) {
    for (std::size_t i = 0; i < courses_.size(); ++i) {
      Course& c = *courses_[i];
      if (!c.started || c.done()) continue;
      const std::int64_t skipped = rounds * (last_[i].left - c.left);
      carry(c, static_cast<double>(skipped));
      c.left -= skipped;
      c.wake += rounds * period;
    }
    now_ += rounds * period;
  }

  struct Place {
    bool started = false;
    std::size_t phase = 0;
    std::int64_t left = 0;
    SimTime wake{};
  };

  std::vector<Course*> courses_;
  std::span<const double> capacity_;
  FlowTimes& out_;
  SimTime now_{};
  std::vector<Flow> running_;
  std::vector<FlowUses> flows_;  // of running_
  std::vector<std::uint64_t> kinds_;
  Folded folded_;
  Csr<std::int32_t> members_;  // [classes] places in running_
  std::vector<FlowClass> classes_;
  MaxMin rates_;
  bool is_settled_ = true;
  std::vector<Place> last_;
};

}  // namespace

void run_component(std::vector<Course*> courses, std::span<const double> capacity, FlowTimes& out) {
  Component(std::move(courses), capacity, out).run();
}

}  // namespace echo::network
