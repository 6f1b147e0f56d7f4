// The rows that a launch may keep from an older design space: its points with their numbers in the new one,
// matched by config_id.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "parallel/journal/journal.hpp"
#include "parallel/launch/launch_lock.hpp"
#include "parallel/platform/surroundings.hpp"
#include "sweep/run/row.hpp"

namespace echo::parallel {

// The points of the new space, one by one.
struct SpaceView {
  sweep::PointIndex size = 0;
  std::function<std::uint64_t(sweep::PointIndex)> config_id;
  std::function<training::TrainingConfig(sweep::PointIndex)> config;
};

// The new numbers of points, by config_id; -1 = not in the new space. Walks the space once; 16 bytes an old
// point.
[[nodiscard]] std::vector<sweep::PointIndex> renumber(std::span<const std::uint64_t> old_ids,
                                                      const SpaceView&);

// Copies the rows of journals of an older key, under their new numbers, into one journal of `header`; then
// removes the old files. UserError 5 when rows are not in the new space: how many. Killed in the middle, it
// starts over.
void carry_journals(const Surroundings&, const Fence&, const std::filesystem::path& folder,
                    const std::string& old_key, const JournalHeader& header, const SpaceView&);

// "the program, the catalog and the space": the differences between two sweeps; "" = none.
[[nodiscard]] std::string what_changed(const results::FileHeader& old, const results::FileHeader& now);

// Whether the rows of one sweep may be carried into the other: the space alone differs, and neither is a
// shard.
[[nodiscard]] bool is_extension(const results::FileHeader& old, const results::FileHeader& now);

// "... contains another sweep: the program changed", and the remedies.
[[noreturn]] void refuse_other_sweep(const std::filesystem::path& place, const results::FileHeader& old,
                                     const results::FileHeader& now);

// "120 of 500 points of ... are not in the new space": the refusal of --extend.
[[noreturn]] void refuse_lost_points(const std::filesystem::path& of, std::int64_t lost, std::int64_t all);

}  // namespace echo::parallel
