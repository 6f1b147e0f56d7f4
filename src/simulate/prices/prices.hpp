// The time that each kernel and collective of a step takes alone.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bottleneck.hpp"
#include "base/units.hpp"
#include "network/shared_links.hpp"
#include "ops/collective.hpp"
#include "ops/kernel.hpp"
#include "slowdown/model.hpp"
#include "timeline/block/block.hpp"

namespace echo::simulate {

// Answers for everything a Workload names, in its order: kernels first, then collectives.
struct Prices {
  std::vector<ops::KernelPrice> kernels;
  std::vector<ops::CollectiveEstimate> collectives;
  std::vector<SimTime> alone;                            // [kernels + collectives], launch gaps included
  std::vector<BottleneckTimes> bottlenecks;              // of the same
  std::vector<double> kernel_factor, collective_factor;  // [kernels][collectives]
  std::vector<double> load_loss;                         // of the same; empty: a learned model
  std::vector<std::int32_t> kernel_number, collective_number;  // in the memo
  std::vector<std::uint8_t> meets;                    // [kernels][collectives] whether some block has both
  std::vector<CollectiveId> block_collectives;        // scratch of the same
  std::vector<BlockId> kernel_block;                  // [kernels] scratch of the same
  std::vector<network::LinkDemand> uses;              // [collectives]
  std::vector<double> scale_up_loss, scale_out_loss;  // [collectives][collectives]; empty: none
  // Transfers of a microbatch between a chunk and the next, [chunks - 1]; zero within a stage.
  std::vector<SimTime> hop_forward, hop_backward;
  std::vector<BottleneckTimes> hop_bottlenecks;  // of either direction

  [[nodiscard]] slowdown::Tables slowdown() { return {kernel_factor, collective_factor, load_loss}; }
  [[nodiscard]] timeline::FactorTable factors() const {
    return {static_cast<std::int32_t>(kernels.size()),
            static_cast<std::int32_t>(collectives.size()),
            kernel_factor,
            collective_factor,
            scale_up_loss,
            scale_out_loss,
            load_loss};
  }
};

}  // namespace echo::simulate
