// Between two starts or ends nothing changes: an op that runs at rate 1 / factor loses the share 1 - 1 /
// factor of that time, which is split by the amount that each neighbour adds to the factor
// (timeline/block/block.cpp).
#include "simulate/step/slowed_time.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "simulate/step/stretches.hpp"

namespace echo::simulate {

namespace {

struct Slowed {
  const workload::OpGraph& graph;
  const Prices& prices;
  std::int64_t count = 0;
  std::vector<SlowedTime>& out;

  [[nodiscard]] CollectiveId collective(OpId op) const {
    return collective_of(graph.work[at(op)], length_of(prices.kernels));
  }
  [[nodiscard]] std::size_t pair(KernelId kernel, OpId op) const {
    return at(kernel) * prices.collectives.size() + at(collective(op));
  }

  // Slowdown factor of a collective that runs beside `running`, which include a kernel.
  [[nodiscard]] double factor_of(OpId op, KernelId kernel, const std::vector<OpId>& running) const {
    double factor = prices.collective_factor[pair(kernel, op)];
    if (prices.scale_up_loss.empty()) return factor;
    for (const OpId other : running) {
      if (other == op || graph.lane[at(other)] == Lane::compute) continue;
      const std::size_t beside = at(collective(op)) * prices.collectives.size() + at(collective(other));
      factor += prices.scale_up_loss[beside] + prices.scale_out_loss[beside];
    }
    return factor;
  }

  void add(const std::vector<OpId>& running, SimTime time) {
    KernelId kernel;
    OpId worst;
    for (const OpId op : running)
      if (graph.lane[at(op)] == Lane::compute) kernel = kernel_of(graph.work[at(op)]);
    if (kernel.is_none()) return;
    double all = 1.0;
    for (const OpId op : running) {
      if (graph.lane[at(op)] == Lane::compute) continue;
      const double factor = prices.kernel_factor[pair(kernel, op)];
      all += factor - 1.0;
      if (worst.is_none() || factor > prices.kernel_factor[pair(kernel, worst)]) worst = op;
    }
    for (const OpId op : running) {
      if (graph.lane[at(op)] == Lane::compute) continue;
      const double own = prices.kernel_factor[pair(kernel, op)] - 1.0;
      const double adding = own / all, worst_only = op == worst ? own / (1.0 + own) : 0.0;
      const double of_collective =
          (prices.collective_factor[pair(kernel, op)] - 1.0) / factor_of(op, kernel, running);
      SlowedTime& entry = entry_of(kernel, op);
      entry.beside += count * time;
      entry.kernel_lost += count * scaled(time, prices.scale_up_loss.empty() ? worst_only : adding);
      entry.collective_lost += count * scaled(time, of_collective);
    }
  }

  SlowedTime& entry_of(KernelId kernel, OpId op) {
    const CollectiveId other = collective(op);
    const TimeCategory part = graph.part[at(op)];
    const auto entry = std::find_if(out.begin(), out.end(), [&](const SlowedTime& s) {
      return s.kernel == kernel && s.collective == other && s.part == part;
    });
    if (entry != out.end()) return *entry;
    return *out.insert(out.end(), {.kernel = kernel, .collective = other, .part = part});
  }
};

}  // namespace

void add_slowed_time(const workload::OpGraph& graph, const Prices& prices, std::int64_t count,
                     std::vector<SlowedTime>& out) {
  if (prices.kernel_factor.empty()) return;
  timeline::BlockScratchData ran;
  (void)timeline::compose_block({graph.lane, graph.part, graph.work, &graph.needs}, prices.alone,
                                prices.factors(), ran);
  Slowed slowed{graph, prices, count, out};
  each_stretch(graph, ran, [&](const auto& running, SimTime time) { slowed.add(running, time); });
}

}  // namespace echo::simulate
