// One collective over a range of sizes, as nccl-tests would show it, on a machine that need not be there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/catalog/catalog_files.hpp"
#include "ops/collective.hpp"
#include "text/json.hpp"
#include "textbook/dimension.hpp"
#include "training/config.hpp"

namespace echo::cli {

struct CollectiveAsk {
  ops::CollectiveKind kind{};
  std::vector<std::int64_t> sizes;  // bytes, as nccl-tests counts them
  std::int32_t ranks = 0;           // 0 = those of one node
  std::int32_t per_node = 0;        // 0 = all of a node
  training::TrainingConfig config;  // NCCL's version and the recipe's choices of collectives
  // A machine of the user's own, in place of the cluster's; generic collectives only.
  std::vector<textbook::Dimension> dimensions;
};

struct CollectiveRow {
  std::int64_t bytes = 0;
  ops::CollectiveEstimate estimate;
  std::string algorithm, protocol;
  double algorithm_bandwidth = 0.0, bus_bandwidth = 0.0;  // bytes/s, as nccl-tests defines them
};

struct CollectiveTable {
  std::string machine;  // the cluster's name, or the dimensions
  std::string facts;    // what its times hang on, in words
  std::int32_t ranks = 0, nodes = 0;
  std::vector<CollectiveRow> rows;
};

// Bytes on the bus for each byte of the call: what makes bandwidths of different collectives comparable.
// Source: NVIDIA/nccl-tests doc/PERFORMANCE.md.
[[nodiscard]] double bus_factor(ops::CollectiveKind kind, std::int32_t ranks);

// Throws UserError where the cluster has not that many GPUs, or they do not fill their nodes evenly.
[[nodiscard]] CollectiveTable price_collective_table(const CollectiveAsk&, const config::CatalogInputs&,
                                                     machine::ClusterId cluster);
[[nodiscard]] CollectiveTable price_collective_table(const CollectiveAsk&);  // on its own dimensions

[[nodiscard]] std::string text_of(const CollectiveAsk&, const CollectiveTable&);
// Several machines, a column of time and bus bandwidth each.
[[nodiscard]] std::string side_by_side(const CollectiveAsk&, const std::vector<CollectiveTable>&);
void add_json(text::Json&, const CollectiveTable&);

}  // namespace echo::cli
