// Random ops of several gpu ranks, a pure function of their number: lanes or none, gaps, waits, meetings of
// two or more ranks, launches. Meetings are in one order on all ranks, so that none can be stuck, unless
// asked for.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "timeline/replay/replay.hpp"

namespace echo::timeline {

struct RandomReplay {
  enum class Order { same, shuffled };

  explicit RandomReplay(std::uint64_t number, Order order = Order::same) : number_(number) {
    kernels_ = 1 + pick(4), collectives_ = 1 + pick(3);
    style_ = pick(3), lanes_ = 1 + pick(4), gaps_ = pick(3) == 0, launches_ = pick(3) == 0;
    laneless_ = pick(3);  // none; some; all
    const std::int32_t ranks = 1 + pick(4), ops = pick(30) * ranks;
    std::vector<std::vector<Op>> of(static_cast<std::size_t>(ranks));
    std::int32_t meetings = 0, launch = 0;
    for (std::int32_t i = 0; i < ops; ++i) {
      if (ranks > 1 && pick(3) == 0) {
        const std::int32_t first = pick(ranks), members = 2 + pick(ranks - 1);
        launch += pick(2);
        for (std::int32_t m = 0; m < std::min(members, ranks); ++m) {
          auto& ops_of = of[at((first + m) % ranks)];
          ops_of.push_back(new_op(static_cast<std::int32_t>(ops_of.size()), ReplayKind::communication));
          ops_of.back().meeting = meetings;
          if (launches_) ops_of.back().launch = launch;
        }
        ++meetings;
      } else {
        auto& ops_of = of[at(pick(ranks))];
        const std::int32_t kind = pick(12);
        ops_of.push_back(new_op(static_cast<std::int32_t>(ops_of.size()), kind < 6 ? ReplayKind::kernel
                                                                          : kind < 10
                                                                              ? ReplayKind::communication
                                                                          : kind < 11 ? ReplayKind::memory
                                                                                      : ReplayKind::wait));
      }
    }
    if (order == Order::shuffled) shuffle(of);
    for (const auto& ops_of : of) flatten(ops_of);
    const std::int32_t slowing = pick(4), sharing = std::min(pick(4), 2);
    for (std::int32_t i = 0; slowing > 0 && i < kernels_ * collectives_; ++i)
      kernel_factor.push_back(factor(slowing)), collective_factor.push_back(factor(slowing));
    for (std::int32_t i = 0; sharing > 0 && i < collectives_ * collectives_; ++i)
      scale_up_loss.push_back(factor(sharing) - 1.0), scale_out_loss.push_back(factor(sharing) - 1.0);
  }
  [[nodiscard]] FactorTable factors() const {
    return {kernels_, collectives_, kernel_factor, collective_factor, scale_up_loss, scale_out_loss};
  }
  [[nodiscard]] std::string describe() const { return "replay " + std::to_string(number_); }

  ReplayGraph graph;
  std::vector<SimTime> alone;
  std::vector<WorkId> work;
  std::vector<double> kernel_factor, collective_factor, scale_up_loss, scale_out_loss;

 private:
  struct Op {
    ReplayKind kind{};
    std::int32_t lane = 0, meeting = -1, launch = -1;
    WorkId work;
    TimeCategory part{};
    SimTime gap{}, alone{};
    std::vector<std::int32_t> needs;
  };
  Op new_op(std::int32_t index, ReplayKind kind) {
    Op op{.kind = kind, .lane = kind == ReplayKind::kernel ? pick(2) / 2 : pick(lanes_)};
    if (laneless_ == 2 || (laneless_ == 1 && pick(3) == 0)) op.lane = -1;
    op.part = static_cast<TimeCategory>(pick(time_category_count));
    if (kind == ReplayKind::kernel && pick(8) != 0) op.work = work_of(KernelId(pick(kernels_)));
    if (kind == ReplayKind::communication && pick(8) != 0)
      op.work = work_of(CollectiveId(pick(collectives_)), kernels_);
    if (gaps_ && pick(2) == 0) op.gap = SimTime(pick(style_ == 1 ? 1'000'000 : 10));
    op.alone = SimTime(style_ == 0 ? pick(4) : style_ == 1 ? 1 + pick(2'000'000'000) : 100 + pick(30));
    if (kind == ReplayKind::wait) op.alone = SimTime::zero();
    for (std::int32_t n = pick(3); n > 0 && index > 0; --n) op.needs.push_back(pick(index));
    return op;
  }
  void shuffle(std::vector<std::vector<Op>>& of) {
    for (auto& ops : of)
      for (std::size_t i = 1; i < ops.size(); ++i)
        if (pick(6) == 0) std::swap(ops[i].meeting, ops[i - 1].meeting);
    for (auto& ops : of)
      for (Op& op : ops)
        if (op.meeting >= 0) op.kind = ReplayKind::communication;
  }
  void flatten(const std::vector<Op>& ops) {
    const std::int32_t first = graph.ops();
    for (const Op& op : ops) {
      graph.kind.push_back(op.kind), graph.lane.push_back(op.lane), graph.part.push_back(op.part);
      graph.gap.push_back(op.gap), graph.meeting.push_back(op.meeting), graph.launch.push_back(op.launch);
      for (const std::int32_t need : op.needs) graph.needs.push(first + need);
      graph.needs.close_row();
      alone.push_back(op.alone);
      const bool fits = op.work.is_none() || (op.kind == ReplayKind::kernel) == is_kernel(op.work, kernels_);
      work.push_back(fits ? op.work : WorkId::none());
    }
    graph.rank_begin.push_back(first + static_cast<std::int32_t>(ops.size()));
  }
  std::int32_t pick(std::int32_t below) {
    return static_cast<std::int32_t>(draw(4713, number_, drawn_++) % static_cast<std::uint64_t>(below));
  }
  double factor(std::int32_t slowing) {
    if (slowing == 1 || pick(4) == 0) return 1.0;
    if (pick(4) == 0) return 1.0 + 0.5 * pick(4);
    return 1.0 + draw_unit(4714, number_, drawn_++) * (slowing == 2 ? 0.7 : 9.0);
  }
  std::int32_t kernels_ = 0, collectives_ = 0, style_ = 0, lanes_ = 1, laneless_ = 0;
  bool gaps_ = false, launches_ = false;
  std::uint64_t number_, drawn_ = 0;
};

}  // namespace echo::timeline
