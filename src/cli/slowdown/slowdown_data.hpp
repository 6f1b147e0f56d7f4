// Measured overlaps as training examples, priced as in a sweep if requested.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "config/catalog/catalog_files.hpp"
#include "learn/candidates/examples.hpp"

namespace echo::cli {

struct SlowdownData {
  std::string file, digest;  // digest of the dataset or of the table's bytes, hex
  learn::Examples examples;
  std::map<std::string, std::int64_t> left_out;  // reason: number of rows
  [[nodiscard]] std::int64_t overlapping() const;
};

// A dataset or any one table that `slowdown import` reads; `gpu` as there. Feature set `simulator`: rows
// without the shape of the kernel or without the communication are left out.
// UserError 2: as import_overlaps(); also if no row is left.
[[nodiscard]] SlowdownData read_slowdown_data(const std::string& file, const std::string& gpu,
                                              slowdown::FeatureSet, const config::CatalogInputs&);

}  // namespace echo::cli
