// Between two starts or ends nothing changes: every collective that runs loses a share of that time to each
// other one, loss / factor, as in the composer (timeline/block/block.cpp).
#include "simulate/step/shared_time.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "simulate/step/stretches.hpp"

namespace echo::simulate {

namespace {

struct Losses {
  const workload::OpGraph& graph;
  const Prices& prices;
  std::int64_t count = 0;
  std::vector<SharedTime>& out;

  [[nodiscard]] std::size_t collective(OpId op) const {
    return at(collective_of(graph.work[at(op)], length_of(prices.kernels)));
  }
  [[nodiscard]] std::size_t beside(OpId op, OpId other) const {
    return collective(op) * prices.collectives.size() + collective(other);
  }

  // One stretch of time during which the ops `running` run.
  void add(const std::vector<OpId>& running, SimTime time) {
    for (const OpId op : running) {
      if (graph.lane[at(op)] == Lane::compute) continue;
      double factor = 1.0;
      for (const OpId other : running) {
        if (graph.lane[at(other)] == Lane::compute) {
          const std::size_t row = at(graph.work[at(other)]) * prices.collectives.size();
          factor += prices.collective_factor[row + collective(op)] - 1.0;
        } else if (other != op) {
          factor += prices.scale_up_loss[beside(op, other)] + prices.scale_out_loss[beside(op, other)];
        }
      }
      for (const OpId other : running) {
        if (other == op || graph.lane[at(other)] == Lane::compute) continue;
        lose(op, other, Bottleneck::scale_up, prices.scale_up_loss[beside(op, other)] / factor, time);
        lose(op, other, Bottleneck::scale_out, prices.scale_out_loss[beside(op, other)] / factor, time);
      }
    }
  }

  void lose(OpId op, OpId other, Bottleneck link, double share, SimTime time) {
    if (share <= 0.0) return;
    const TimeCategory part = graph.part[at(op)], beside_part = graph.part[at(other)];
    auto entry = std::find_if(out.begin(), out.end(), [&](const SharedTime& s) {
      return s.part == part && s.beside == beside_part && s.link == link;
    });
    if (entry == out.end()) entry = out.insert(out.end(), {part, beside_part, link, SimTime::zero()});
    entry->lost += count * scaled(time, share);
  }
};

}  // namespace

void add_shared_time(const workload::OpGraph& graph, const Prices& prices, std::int64_t count,
                     std::vector<SharedTime>& out) {
  if (prices.scale_up_loss.empty() || prices.kernel_factor.empty()) return;
  timeline::BlockScratchData ran;
  (void)timeline::compose_block({graph.lane, graph.part, graph.work, &graph.needs}, prices.alone,
                                prices.factors(), ran);
  if (ran.contended == SimTime::zero()) return;
  Losses losses{graph, prices, count, out};
  each_stretch(graph, ran, [&](const auto& running, SimTime time) { losses.add(running, time); });
}

}  // namespace echo::simulate
