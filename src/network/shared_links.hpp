// What collectives of different groups lose to each other while they run on the same GPUs, in closed form.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "machine/topology.hpp"
#include "ops/collective.hpp"

namespace echo::network {

// What collectives that run at once are taken to do to each other.
enum class Contention : std::int8_t { analytical, off, flow };
inline constexpr std::array<std::string_view, 3> contention_names{"analytical", "off", "flow"};

// What one collective asks of the links of a GPU and of its node while it runs alone.
struct LinkDemand {
  // Shares of its time in which the scale-up network, or the way out of the node, is what it waits for.
  double by_scale_up = 0.0, by_scale_out = 0.0;
  // Of the scale-up link while it waits for the way out, and the reverse: 0 idle, 1 as busy.
  double inside_meanwhile = 0.0, outside_meanwhile = 0.0;
  double reach = 1.0;  // of its NICs' rate, what the fabric leaves to it
  friend bool operator==(const LinkDemand&, const LinkDemand&) = default;
};
[[nodiscard]] LinkDemand use_of(const ops::CollectiveQuery&, const ops::CollectiveEstimate&,
                                const machine::GroupLinks&, const machine::ClusterSpec&,
                                const machine::GpuSpec&);

// How much longer `a` takes while `b` runs beside it, as a share of its time alone, by the link where it
// waits.
struct LinkLoss {
  double scale_up = 0.0, scale_out = 0.0;
  friend bool operator==(const LinkLoss&, const LinkLoss&) = default;
};
// Contract: shares of `a` and of `b` lie in 0..1 and sum to at most 1. A loss is never negative, and zero
// where one of the two waits for no link.
[[nodiscard]] LinkLoss loss_beside(const LinkDemand& a, const LinkDemand& b);

// Dense tables, [uses][uses] row-major: of the row's beside the column's. Reuses the vectors.
void fill_losses(std::span<const LinkDemand> uses, std::vector<double>& scale_up_loss,
                 std::vector<double>& scale_out_loss);

}  // namespace echo::network
