// /search: the proof that a search for the best points leaves, as columns. What they mean is said in
// search/certificate.hpp, which makes them and reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/hdf5.hpp"

namespace echo::results {

struct SearchRecord {
  std::int64_t combinations = 0, kept = 0, failed = 0, top = 0;
  double gap = 0.0, within = 0.0;
  std::string objectives, per;  // "tokens_per_s_per_gpu:max"; "cluster gpus"
  // [sets]
  std::vector<std::int32_t> group, tier, slice;  // slice: row of `slices`, -1 = none
  std::vector<std::int64_t> begin, end, members, first;
  std::vector<std::int8_t> fate;
  std::vector<double> least, least_second;
  std::vector<std::string> slices;      // values of `per`, separated by blanks
  std::vector<std::int64_t> points;     // [points] numbers of combinations, in the order of the file
  std::vector<std::int64_t> looked_at, simulated;  // [moments]
  std::vector<double> best, possible;   // the same
  friend bool operator==(const SearchRecord&, const SearchRecord&) = default;
};

void write_search(storage::Hdf5File&, const SearchRecord&);
// Nothing where the file has none. UserError 5 where its columns differ in length.
[[nodiscard]] std::optional<SearchRecord> read_search(const storage::Hdf5File&);

}  // namespace echo::results
