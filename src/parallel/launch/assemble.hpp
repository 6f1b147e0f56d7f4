// Assembles the result file from all journals and the kept rows of an older file.
#pragma once

#include <stop_token>

#include "parallel/journal/journal_rows.hpp"
#include "parallel/launch/look_back.hpp"
#include "results/write/row_stream.hpp"

namespace echo::parallel {

// How far the sweep is: rows in journals, and rows of the older file that no journal has.
struct Tally {
  IdSet done;
  std::array<std::int64_t, 5> by_status{};
};
[[nodiscard]] Tally tally(const JournalRows&, const LookBack&);

// Writes all existing rows; a snapshot stops early when `stop` requests it. The file says partial where
// points of the space are missing.
results::WriteSummary assemble(const Surroundings&, const Fence&, const LaunchRequest&, const LookBack&,
                               JournalRows&, const std::stop_token& stop = {});

}  // namespace echo::parallel
