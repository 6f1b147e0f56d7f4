// Which kernels are worth measuring next: those that carry much of the best points' steps at a price that may
// be far off.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ops/kernel.hpp"
#include "results/read_rows.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "training/config.hpp"

namespace echo::explain {

struct KernelGap {
  std::string gpu;  // catalog name
  ops::KernelKey key;
  ops::Grade grade{};
  double share = 0.0;       // of the step on its critical path, mean over the points asked about
  double error = 0.0;       // of its price, relative
  std::int32_t points = 0;  // of those that run it
  [[nodiscard]] double weight() const { return share * error; }
};

// Kernels on the critical paths of the configs, the weightiest first. Configs that cannot run count for
// nothing.
[[nodiscard]] std::vector<KernelGap> kernel_gaps(const std::vector<training::TrainingConfig>&,
                                                 const simulate::Catalog&, const simulate::Calibration&);

// The configs of the `count` best feasible rows; rows whose presets `catalog` lacks are left out.
[[nodiscard]] std::vector<training::TrainingConfig> best_configs(const results::ResultFile&,
                                                                 std::int64_t count,
                                                                 simulate::Catalog& catalog);

// The first `count` of them as a table; empty text for none.
[[nodiscard]] std::string gaps_text(const std::vector<KernelGap>&, std::size_t count, std::size_t points);

}  // namespace echo::explain
