// Predicts the table that nccl-tests would print: one collective over a range of sizes on a given machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/catalog/catalog_files.hpp"
#include "machine/collective_program.hpp"
#include "ops/collective.hpp"
#include "text/json.hpp"
#include "textbook/dimension.hpp"
#include "training/config.hpp"

namespace echo::cli {

struct CollectiveAsk {
  ops::CollectiveKind kind{};
  std::vector<std::int64_t> sizes;  // bytes, as nccl-tests counts them
  std::int32_t ranks = 0;           // 0 = all GPUs of one node
  std::int32_t per_node = 0;        // 0 = all GPUs of a node
  training::TrainingConfig config;  // the NCCL version and the recipe's options for collectives
  // A user-defined machine in place of the cluster; generic collectives only.
  std::vector<textbook::Dimension> dimensions;
  // In place of an algorithm, on bare links; as many ranks as it has.
  std::optional<machine::CollectiveProgram> program;
};

struct CollectiveRow {
  std::int64_t bytes = 0;
  ops::CollectiveEstimate estimate;
  std::string algorithm, protocol;
  double algorithm_bandwidth = 0.0, bus_bandwidth = 0.0;  // bytes/s, as nccl-tests defines them
};

struct CollectiveTable {
  std::string machine;  // the cluster's name, or the dimensions
  std::string facts;    // the facts that its times depend on, as text
  std::int32_t ranks = 0, nodes = 0;
  std::vector<CollectiveRow> rows;
};

// Bytes on the bus per byte of the call, which makes bandwidths of different collectives comparable.
// Source: NVIDIA/nccl-tests doc/PERFORMANCE.md.
[[nodiscard]] double bus_factor(ops::CollectiveKind kind, std::int32_t ranks);

// Throws UserError if the cluster has too few GPUs, or if they do not fill their nodes evenly.
[[nodiscard]] CollectiveTable price_collective_table(const CollectiveAsk&, const config::CatalogInputs&,
                                                     machine::ClusterId cluster);
[[nodiscard]] CollectiveTable price_collective_table(const CollectiveAsk&);  // on its own dimensions

[[nodiscard]] std::string text_of(const CollectiveAsk&, const CollectiveTable&);
// Several machines, with columns of time and bus bandwidth for each.
[[nodiscard]] std::string side_by_side(const CollectiveAsk&, const std::vector<CollectiveTable>&);
void add_json(text::Json&, const CollectiveTable&);

}  // namespace echo::cli
