// Slowdown of concurrent collectives of different groups on the same GPUs, in closed form.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "machine/topology.hpp"
#include "ops/collective.hpp"

namespace echo::network {

// Model of contention between concurrent collectives.
enum class Contention : std::int8_t { analytical, off, flow, packet };
inline constexpr std::array<std::string_view, 4> contention_names{"analytical", "off", "flow", "packet"};

// Demand of one collective on the links of a GPU and of its node while it runs alone.
struct LinkDemand {
  // Shares of its time in which the scale-up network, or the link out of the node, is its bottleneck.
  double by_scale_up = 0.0, by_scale_out = 0.0;
  // Use of the scale-up link while the link out of the node is the bottleneck, and the reverse: 0 idle, 1 as
  // busy.
  double inside_meanwhile = 0.0, outside_meanwhile = 0.0;
  double reach = 1.0;  // share of its NICs' rate that the fabric provides
  friend bool operator==(const LinkDemand&, const LinkDemand&) = default;
};
[[nodiscard]] LinkDemand use_of(const ops::CollectiveQuery&, const ops::CollectiveEstimate&,
                                const machine::GroupLinks&, const machine::ClusterSpec&,
                                const machine::GpuSpec&);

// Increase of the time of `a` while `b` runs concurrently, relative to its time alone, per limiting link.
struct LinkLoss {
  double scale_up = 0.0, scale_out = 0.0;
  friend bool operator==(const LinkLoss&, const LinkLoss&) = default;
};
// Contract: shares of `a` and of `b` lie in 0..1 and sum to at most 1. A loss is never negative, and zero
// if one of the two waits for no link.
[[nodiscard]] LinkLoss loss_beside(const LinkDemand& a, const LinkDemand& b);

// Dense tables, [uses][uses] row-major: loss of the row's collective beside the column's, where both are
// among the first `concurrent` ones; the others never run beside another. Reuses the vectors.
void fill_losses(std::span<const LinkDemand> uses, std::size_t concurrent, std::vector<double>& scale_up_loss,
                 std::vector<double>& scale_out_loss);

}  // namespace echo::network
