// Every step starts when the steps that it needs have ended. A send and the receive of its message end when
// the message arrives; messages between two ranks are taken in the order in which they were sent, by tag. A
// message of b bytes to a rank that differs in several dimensions passes them one after the other, at the
// pace of the slowest:
//   T = sum of hops latency + b / slowest link
// Where messages notice each other, those that leave a rank by one port, or arrive by one, do so one behind
// the other: a port in a dimension is its switch's, a direction of a ring, or the cable to the other GPU.
// Steps that are ready at the same time go by rank and number. Source: astraccl/custom_collectives of
// ASTRA-sim 518bd51 (no endpoint delay, computes as given); Cowan et al., "MSCCLang", ASPLOS 2023. Neglected:
// links between the first and the last of a way through a ring, slots of channels, instructions.
#include "textbook/run_program.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::textbook {
namespace {

using machine::CollectiveProgram;
using machine::ProgramStep;
using machine::ProgramStepKind;

struct Moment {
  SimTime at{};
  Cost path;
};

class Run {
 public:
  Run(const CollectiveProgram& program, std::int64_t bytes, std::span<const Dimension> dimensions,
      const MessageCosts& costs)
      : program_(program), bytes_(bytes), dimensions_(dimensions), costs_(costs) {
    const std::size_t steps = program.steps.size();
    missing_.resize(steps), ready_.resize(steps), done_.assign(steps, false), rank_.resize(steps);
    waiters_.resize(steps);
    for (std::int32_t r = 0; r < program.ranks; ++r)
      for (std::int32_t s = program.rank_begin[at(r)]; s < program.rank_begin[at(r + 1)]; ++s)
        rank_[at(s)] = r;
    for (std::int32_t s = 0; s < static_cast<std::int32_t>(steps); ++s) {
      missing_[at(s)] = static_cast<std::int32_t>(program.needs.row(s).size());
      for (const std::int32_t need : program.needs.row(s)) waiters_[at(need)].push_back(s);
      if (missing_[at(s)] == 0) events_.push({SimTime::zero(), s});
    }
  }

  void run() {
    while (!events_.empty()) {
      const auto [now, step] = events_.top();
      events_.pop();
      if (ends_.contains(step))
        end(step);
      else
        begin(step);
    }
  }
  // The first step without an end; -1: none.
  [[nodiscard]] std::int32_t stuck() const {
    const auto first = std::ranges::find(done_, false);
    return first == done_.end() ? -1 : static_cast<std::int32_t>(first - done_.begin());
  }
  [[nodiscard]] const Cost& path() const { return last_.path; }

 private:
  using Way = std::tuple<std::int32_t, std::int32_t, std::int32_t>;        // from, to, tag
  using Port = std::tuple<std::int32_t, std::size_t, std::int32_t, bool>;  // rank, dimension, way, leaving

  void begin(std::int32_t step) {
    const ProgramStep& what = program_.steps[at(step)];
    const std::int32_t rank = rank_[at(step)];
    if (what.kind == ProgramStepKind::compute) {
      end_at(step,
             {ready_[at(step)].at + what.duration, ready_[at(step)].path + Cost{.endpoint = what.duration}});
    } else if (what.kind == ProgramStepKind::send) {
      const Moment arrival = send(ready_[at(step)], rank, what.peer, size_of(what));
      end_at(step, arrival);
      const Way way{rank, what.peer, what.tag};
      arrivals_[way].push_back(arrival);
      match(way);
    } else {
      const Way way{what.peer, rank, what.tag};
      receivers_[way].push_back(step);
      match(way);
    }
  }
  void match(const Way& way) {
    std::size_t& taken = taken_[way];
    const std::vector<std::int32_t>& receivers = receivers_[way];
    const std::vector<Moment>& arrivals = arrivals_[way];
    while (taken < arrivals.size() && taken < receivers.size()) {
      const std::int32_t step = receivers[taken];
      Moment when = later(ready_[at(step)], arrivals[taken]);
      if (program_.steps[at(step)].reduces && costs_.reduction_memory.value > 0.0) {
        const SimTime reads = 3 * (Bytes(size_of(program_.steps[at(step)])) / costs_.reduction_memory);
        when = {when.at + reads, when.path + Cost{.endpoint = reads}};
      }
      ++taken;
      end_at(step, when);
    }
  }

  void end_at(std::int32_t step, const Moment& when) {
    ends_[step] = when;
    events_.push({when.at, step});
  }
  void end(std::int32_t step) {
    const Moment when = ends_.at(step);
    done_[at(step)] = true;
    last_ = later(last_, when);
    for (const std::int32_t waiter : waiters_[at(step)]) {
      ready_[at(waiter)] = later(ready_[at(waiter)], when);
      if (--missing_[at(waiter)] == 0) events_.push({ready_[at(waiter)].at, waiter});
    }
  }
  static const Moment& later(const Moment& a, const Moment& b) { return b.at > a.at ? b : a; }

  [[nodiscard]] std::int64_t size_of(const ProgramStep& step) const {
    if (program_.bytes == 0) return step.bytes;
    const double scale = static_cast<double>(bytes_) / static_cast<double>(program_.bytes);
    return static_cast<std::int64_t>(static_cast<double>(step.bytes) * scale + 0.5);
  }

  // How far `to` is in a dimension, the shorter way round; negative: backwards.
  static std::int32_t distance(const Dimension& d, std::int32_t from, std::int32_t to) {
    const std::int32_t ahead = to - from;
    if (d.kind != DimensionKind::ring) return ahead;
    const std::int32_t up = (ahead + d.size) % d.size;
    return 2 * up <= d.size ? up : up - d.size;
  }

  Moment send(const Moment& from, std::int32_t source, std::int32_t target, std::int64_t bytes) {
    Cost cost;
    SimTime wire{};
    Reach reach = Reach::scale_up;
    std::vector<Port> ports;
    std::int32_t below = 1;
    for (std::size_t i = 0; i < dimensions_.size(); ++i) {
      const Dimension& d = dimensions_[i];
      const std::int32_t a = source / below % d.size, b = target / below % d.size;
      below *= d.size;
      if (a == b) continue;
      const std::int32_t apart = distance(d, a, b);
      const bool in_line = d.kind == DimensionKind::ring || d.kind == DimensionKind::line;
      cost.latency += (in_line ? std::abs(apart) : 1) * d.latency;
      if (const SimTime here = Bytes(bytes) / d.cable(); here > wire) wire = here, reach = d.reach;
      const std::int32_t way = in_line ? (apart > 0 ? 1 : -1) : 0;
      const bool meshed = d.kind == DimensionKind::fully_connected;
      ports.emplace_back(source, i, meshed ? target : way, true);
      ports.emplace_back(target, i, meshed ? source : way, false);
    }
    cost += on_links(wire, reach);
    Moment start = from;
    if (costs_.sharing == machine::LinkSharing::aware) {
      for (const Port& port : ports) start = later(start, free_[port]);
      for (const Port& port : ports) free_[port] = {start.at + wire, start.path + on_links(wire, reach)};
    }
    return {start.at + cost.time(), start.path + cost};
  }

  const CollectiveProgram& program_;
  std::int64_t bytes_;
  std::span<const Dimension> dimensions_;
  MessageCosts costs_;
  std::vector<std::int32_t> missing_, rank_;        // [steps]
  std::vector<Moment> ready_;                       // [steps]
  std::vector<bool> done_;                          // [steps]
  std::vector<std::vector<std::int32_t>> waiters_;  // [steps]
  std::map<std::int32_t, Moment> ends_;
  std::map<Way, std::vector<Moment>> arrivals_;
  std::map<Way, std::vector<std::int32_t>> receivers_;
  std::map<Way, std::size_t> taken_;
  std::map<Port, Moment> free_;
  using Event = std::pair<SimTime, std::int32_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Moment last_;
};

}  // namespace

std::optional<Cost> run_program(const CollectiveProgram& program, std::int64_t bytes,
                                std::span<const Dimension> dimensions, const MessageCosts& costs) {
  Run run(program, bytes, dimensions, costs);
  run.run();
  if (run.stuck() >= 0) return std::nullopt;
  return run.path();
}

std::string why_stuck(const CollectiveProgram& program) {
  Dimension all;
  all.size = program.ranks;
  all.bandwidth = BytesPerSecond(1e12);
  Run run(program, program.bytes, std::span(&all, 1), {});
  run.run();
  const std::int32_t step = run.stuck();
  if (step < 0) return {};
  const auto after = std::ranges::upper_bound(program.rank_begin, step);
  const auto rank = after - program.rank_begin.begin() - 1;
  const std::int32_t number = step - program.rank_begin[static_cast<std::size_t>(rank)];
  const ProgramStep& what = program.steps[at(step)];
  const std::string peer = std::to_string(what.peer);
  return "step " + std::to_string(number) + " of rank " + std::to_string(rank) +
         (what.kind == ProgramStepKind::receive ? ", a receive from rank " + peer + ", "
          : what.kind == ProgramStepKind::send  ? ", a send to rank " + peer + ", "
                                                : " ") +
         "never ends";
}

}  // namespace echo::textbook
