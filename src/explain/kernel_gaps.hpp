// Ranks kernels by how useful their measurement would be: a large share of the best points' steps and a large
// error of the price.
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
  double share = 0.0;       // of the step on its critical path, mean over the given points
  double error = 0.0;       // of its price, relative
  std::int32_t points = 0;  // number of points that run it
  [[nodiscard]] double weight() const { return share * error; }
};

// Kernels on the critical paths of the configs, largest possible effect first. Configs that cannot run
// are ignored.
[[nodiscard]] std::vector<KernelGap> kernel_gaps(const std::vector<training::TrainingConfig>&,
                                                 const simulate::Catalog&, const simulate::Calibration&);

// The configs of the `count` best feasible rows; rows with presets missing from `catalog` are left out.
[[nodiscard]] std::vector<training::TrainingConfig> best_configs(const results::ResultFile&,
                                                                 std::int64_t count,
                                                                 simulate::Catalog& catalog);

// The first `count` of them as a table; empty text for none.
[[nodiscard]] std::string gaps_text(const std::vector<KernelGap>&, std::size_t count, std::size_t points);

}  // namespace echo::explain
