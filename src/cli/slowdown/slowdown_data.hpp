// Measured overlaps as training examples, priced as in a sweep if requested.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/catalog/catalog_files.hpp"
#include "learn/candidates/examples.hpp"

namespace echo::cli {

struct SlowdownData {
  std::string file, digest;  // digest of the dataset or of the table's bytes, hex
  learn::Examples examples;
  std::map<std::string, std::int64_t> left_out, assumed;  // reason, what: number of rows
  [[nodiscard]] std::int64_t overlapping() const;
};

// The communication beside rows that do not record it.
struct AssumedChannels {
  std::int32_t channels = 0;
  double memory_rate = 0.0;  // HBM bytes per second
};

// A dataset or any one table that `slowdown import` reads; `gpu` as there. Feature set `simulator`: a kernel
// without a shape is taken as its metrics describe it, and left out without those; rows without communication
// are left out unless it is assumed.
// UserError 2: as import_overlaps(); also if no row is left.
[[nodiscard]] SlowdownData read_slowdown_data(const std::string& file, const std::string& gpu,
                                              slowdown::FeatureSet, const config::CatalogInputs&,
                                              const std::optional<AssumedChannels>& = {});
// "404 rows: the kernel ..., from its metrics"
[[nodiscard]] std::vector<std::string> assumed_lines(const SlowdownData&);

}  // namespace echo::cli
