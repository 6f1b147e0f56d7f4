// Observations as rows of a dataset of overlaps (hdf5_schemas/overlap_v1.toml), which has no columns for
// their doubts: only recommended rows of kernels are of use there. A profile measures no counters, no traffic
// and no clock, and its tensors are an op's, not a kernel's, so that metrics but those of the launch, and
// shapes, stay unknown.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "overlaps/observe.hpp"
#include "slowdown/overlap_row.hpp"

namespace echo::overlaps {

struct DatasetRows {
  std::vector<slowdown::OverlapRow> rows;        // sound, origin 0
  std::map<std::string, std::int64_t> left_out;  // observations by reason
};
// `gpu`: the name of the preset.
[[nodiscard]] DatasetRows dataset_rows(const Profile&, const ProfileOverlaps&, const std::string& gpu);

}  // namespace echo::overlaps
