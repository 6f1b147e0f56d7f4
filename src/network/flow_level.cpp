// Problem. A closed form prices a collective on links it has for itself. Where several collectives meet on
// NICs, rails and uplinks, or hashing puts two flows on one cable while another is idle, the time depends on
// who shares which link when.
//
// Idea. A transfer is a fluid: it flows at its max-min fair rate (max_min.cpp) until a transfer starts or
// ends somewhere in its neighbourhood. Between such events rates stand still, so that times are exact but for
// one rounding to the picosecond an event:
//   next event = min over running flows of (bytes left / rate), and the next start of a phase
// A phase is done when the last of its transfers has arrived: end + latency of its links. Rates are worked
// out on classes of like flows (fold.cpp), anew when a phase begins. Flows of a class end together, so that
// classes stay classes while others end; then only what an end reaches over shared links is worked out again.
// Activities that share no link fall apart into components. Where all activities of a component stand between
// phases as they did one round before, whole rounds are skipped.
//
// Source: the fluid model of Bertsekas and Gallager 1992, 6.5; SimGrid's network model (Velho et al., "On the
// validity of flow-level TCP network models for grid and cloud simulations", TOMACS 2013). Neglected:
// packets, queues, the time until rates settle; ranks of a group wait for each other at every phase.
#include "network/flow_level.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/contract.hpp"
#include "base/counter_rng.hpp"
#include "network/fold.hpp"
#include "network/max_min.hpp"

namespace echo::network {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

constexpr SimTime never = SimTime::max();

struct RoutedPhase {
  Csr<LinkUse> routes;  // rows are transfers
  std::vector<double> bytes;
  std::vector<SimTime> latency;  // of the route
  std::int64_t repeat = 1;
};

// One activity on its way.
struct Course {
  std::vector<RoutedPhase> phases;
  SimTime latency{}, end{};
  std::int32_t group = 0;  // which component
  // Where it stands: before its phase until `wake`, then among its transfers.
  std::size_t phase = 0;
  std::int64_t left = 0;  // repeats, the present one counted
  SimTime wake{}, began{}, arrived{};
  bool started = false, transferring = false;
  std::vector<double> bytes_left;  // < 0: done
  std::int32_t transfers_left = 0;

  [[nodiscard]] bool done() const { return phase == phases.size(); }
  [[nodiscard]] const RoutedPhase& now() const { return phases[phase]; }
};

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

  // Like flows under way: bytes left of each at `since`, and when they end at the present rate.
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
      const bool moves = phase.bytes[i] > 0.0 && !phase.routes.row(static_cast<std::int32_t>(i)).empty();
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
    for (std::int32_t i = 0; i < phase.routes.rows(); ++i)
      for (const LinkUse& use : phase.routes.row(i))
        out_.link_bytes[at(use.link)] += times * phase.bytes[at(i)] * use.share;
  }

  void finish(Course& c) {
    carry(c, 1.0);
    c.transferring = false;
    if (--c.left == 0) ++c.phase;
    if (c.done()) c.end = c.arrived;
    c.wake = c.arrived + c.latency;
  }

  // The transfers under way, in the order of activities.
  void gather() {
    running_.clear();
    flows_.clear();
    kinds_.clear();
    for (std::size_t i = 0; i < courses_.size(); ++i) {
      Course& c = *courses_[i];
      if (!c.transferring) continue;
      for (std::int32_t t = 0; t < c.now().routes.rows(); ++t) {
        const double left = c.bytes_left[at(t)];
        if (left < 0.0) continue;
        running_.push_back({&c, t});
        const auto row = c.now().routes.row(t);
        flows_.value.insert(flows_.value.end(), row.begin(), row.end());
        flows_.close_row();
        kinds_.push_back(draw(std::bit_cast<std::uint64_t>(left), i,
                              static_cast<std::uint64_t>(c.now().latency[at(t)].count())));
      }
    }
  }

  [[nodiscard]] double left_now(const FlowClass& c) const {
    return std::max(0.0, c.left - c.rate * static_cast<double>((now_ - c.since).count()) * 1e-12);
  }

  // Classes and rates of all transfers under way.
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
    weight_.assign(folded_.first.size(), 1.0);
    rates_.bind(folded_.uses, weight_, folded_.capacity);
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

  // Rates and ends of the classes that a change has reached.
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

  // Between phases, all of them: as one round before but for the time?
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
  Csr<LinkUse> flows_;
  std::vector<std::uint64_t> kinds_;
  Folded folded_;
  Csr<std::int32_t> members_;  // [classes] places in running_
  std::vector<FlowClass> classes_;
  std::vector<double> weight_;
  MaxMin rates_;
  bool is_settled_ = true;
  std::vector<Place> last_;
};

Course route(const Activity& activity, std::uint64_t number, Router& router, Repeats repeats) {
  Course course;
  course.wake = course.end = activity.start;
  course.latency = activity.phase_latency;
  std::vector<LinkUse> uses;
  for (const Phase& phase : activity.phases->phases) {
    if (phase.repeat == 0) continue;
    RoutedPhase routed;
    const std::int64_t merged = repeats == Repeats::merged ? phase.repeat : 1;
    routed.repeat = phase.repeat / merged;
    for (const Transfer& transfer : activity.phases->of(phase)) {
      router.route(activity.gpus[at(transfer.from)], activity.gpus[at(transfer.to)], number, uses);
      routed.routes.value.insert(routed.routes.value.end(), uses.begin(), uses.end());
      routed.routes.close_row();
      routed.bytes.push_back(static_cast<double>(transfer.bytes * merged));
      routed.latency.push_back(merged * router.latency_of(uses) + (merged - 1) * activity.phase_latency);
    }
    course.phases.push_back(std::move(routed));
  }
  return course;
}

// Numbers the components of courses that share links, directly or over others.
std::int32_t find_components(std::span<Course> courses, std::size_t links) {
  std::vector<std::int32_t> parent(courses.size()), owner(links, -1);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&parent](std::int32_t i) {
    while (parent[at(i)] != i) i = parent[at(i)] = parent[at(parent[at(i)])];
    return i;
  };
  for (std::size_t i = 0; i < courses.size(); ++i)
    for (const RoutedPhase& phase : courses[i].phases)
      for (const LinkUse& use : phase.routes.value) {
        std::int32_t& of = owner[at(use.link)];
        const auto self = static_cast<std::int32_t>(i);
        if (of < 0) of = self;
        parent[at(root(of))] = root(self);
      }
  std::int32_t count = 0;
  std::vector<std::int32_t> number(courses.size(), -1);
  for (std::size_t i = 0; i < courses.size(); ++i) {
    std::int32_t& n = number[at(root(static_cast<std::int32_t>(i)))];
    if (n < 0) n = count++;
    courses[i].group = n;
  }
  return count;
}

}  // namespace

FlowTimes simulate_flows(const machine::NetworkGraph& graph, Router& router,
                         std::span<const Activity> activities, Repeats repeats) {
  FlowTimes out;
  out.link_bytes.assign(graph.links.size(), 0.0);
  std::vector<double> capacity;
  for (const machine::Link& link : graph.links) capacity.push_back(link.bandwidth.value);
  std::vector<Course> courses;
  for (std::size_t i = 0; i < activities.size(); ++i)
    courses.push_back(route(activities[i], i, router, repeats));
  std::vector<std::vector<Course*>> groups(at(find_components(courses, graph.links.size())));
  for (Course& course : courses) groups[at(course.group)].push_back(&course);
  for (auto& group : groups) Component(std::move(group), capacity, out).run();
  for (const Course& course : courses) out.end.push_back(course.end);
  return out;
}

}  // namespace echo::network
