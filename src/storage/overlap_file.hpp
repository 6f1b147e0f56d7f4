// Reads and writes datasets of overlaps: kernels measured alone and with concurrent communication.
// hdf5_schemas/overlap_v1.toml is the contract.
#pragma once

#include <filesystem>
#include <string>

#include "slowdown/overlap_row.hpp"

namespace echo::storage {

// Writes rows and origins in the order given: a whole file or none, equal bytes for equal content. Returns
// its digest (hex). Precondition: every row is sound (slowdown::why_unsound), of a canonical shape, and has
// an origin. UserError, 2: more than 127 GPUs, algorithms or protocols; 5: it cannot be written.
std::string write_overlaps(const std::filesystem::path&, const slowdown::OverlapData&);

struct OverlapFile {
  slowdown::OverlapData data;
  std::string digest;  // of columns, names and origins; hex
};
// UserError, 2: no such file, no dataset of overlaps, of a later version, damaged, with a row that nothing
// could measure or a slowdown that does not follow from its durations.
[[nodiscard]] OverlapFile read_overlaps(const std::filesystem::path&);

}  // namespace echo::storage
