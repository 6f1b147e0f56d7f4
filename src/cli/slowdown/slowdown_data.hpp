// Measured overlaps as examples to learn from, priced as a sweep would where that is asked.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "config/catalog/catalog_files.hpp"
#include "learn/candidates/examples.hpp"

namespace echo::cli {

struct SlowdownData {
  std::string file, digest;  // of the dataset, or of the table's bytes; hex
  learn::Examples examples;
  std::map<std::string, std::int64_t> left_out;  // why: how many rows
  [[nodiscard]] std::int64_t overlapping() const;
};

// A dataset or any one table that `slowdown import` reads; `gpu` as there. Feature set `simulator`: rows that
// do not say both what the kernel computes and what communicated are left out.
// UserError, 2: as import_overlaps(); no row is left, and why.
[[nodiscard]] SlowdownData read_slowdown_data(const std::string& file, const std::string& gpu,
                                              slowdown::FeatureSet, const config::CatalogInputs&);

}  // namespace echo::cli
