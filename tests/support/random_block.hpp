// A random block of ops, a pure function of its number: all lanes, random needs, tables of factors or none.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/counter_rng.hpp"
#include "timeline/block/block.hpp"

namespace echo::timeline {

struct RandomBlock {
  explicit RandomBlock(std::uint64_t number) : number_(number) {
    kernels = 1 + pick(5), collectives = 1 + pick(4);
    const std::int32_t ops = pick(40), lanes = 1 + pick(lane_count), style = pick(3), chance = 1 + pick(4);
    for (std::int32_t i = 0; i < kernels + collectives; ++i) {
      alone.emplace_back(style == 0 ? pick(4) : style == 1 ? 1 + pick(2'000'000'000) : 100 + pick(30));
    }
    for (std::int32_t i = 0; i < ops; ++i) {
      const auto l = static_cast<Lane>(pick(2) == 0 ? 0 : pick(lanes));
      lane.push_back(l);
      part.push_back(static_cast<TimeCategory>(pick(time_category_count)));
      work.push_back(l == Lane::compute ? work_of(KernelId(pick(kernels)))
                                        : work_of(CollectiveId(pick(collectives)), kernels));
      for (std::int32_t n = pick(4); n > 0 && i > 0; --n) {
        if (pick(chance) == 0) needs.push(OpId(pick(i)));
      }
      needs.close_row();
    }
    const std::int32_t slowing = pick(4);  // no table; all ones; modest; large
    for (std::int32_t i = 0; slowing > 0 && i < kernels * collectives; ++i) {
      kernel_factor.push_back(factor(slowing)), collective_factor.push_back(factor(slowing));
    }
    for (std::size_t pair = 0; pair < kernel_factor.size(); ++pair)
      load_loss.push_back((kernel_factor[pair] - 1.0) * std::min(1.0, 1.5 * draw_unit(4713, number_, pair)));
    const std::int32_t sharing = std::min(pick(4), 2);  // no table; all zeros; modest, twice as often
    for (std::int32_t i = 0; sharing > 0 && i < collectives * collectives; ++i) {
      scale_up_loss.push_back(factor(sharing) - 1.0), scale_out_loss.push_back(factor(sharing) - 1.0);
    }
  }
  [[nodiscard]] OpGraphView view() const { return {lane, part, work, &needs}; }
  [[nodiscard]] FactorTable factors() const {
    return {kernels, collectives, kernel_factor, collective_factor, scale_up_loss, scale_out_loss, load_loss};
  }
  [[nodiscard]] std::string describe() const { return "block " + std::to_string(number_); }

  std::int32_t kernels = 0, collectives = 0;
  std::vector<Lane> lane;
  std::vector<TimeCategory> part;
  std::vector<WorkId> work;
  Csr<OpId> needs;
  std::vector<SimTime> alone;
  std::vector<double> kernel_factor, collective_factor;  // [kernels][collectives]
  std::vector<double> load_loss;                         // of the same
  std::vector<double> scale_up_loss, scale_out_loss;     // [collectives][collectives]

 private:
  std::int32_t pick(std::int32_t below) {
    return static_cast<std::int32_t>(draw(4711, number_, drawn_++) % static_cast<std::uint64_t>(below));
  }
  double factor(std::int32_t slowing) {
    if (slowing == 1 || pick(4) == 0) return 1.0;
    if (pick(4) == 0) return 1.0 + 0.5 * pick(4);  // halves, so that roundings tie
    return 1.0 + draw_unit(4712, number_, drawn_++) * (slowing == 2 ? 0.7 : 9.0);
  }
  std::uint64_t number_, drawn_ = 0;
};

}  // namespace echo::timeline
