// Finds the points that killed a launch, from the claim pages of dead workers (claim_page.hpp).
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "parallel/dispatch/id_set.hpp"
#include "parallel/platform/disk.hpp"
#include "results/provenance.hpp"
#include "sweep/run/row.hpp"

namespace echo::parallel {

struct Quarantine {
  std::vector<sweep::Failure> poisoned;     // by number: they become failed rows, untried; and why
  std::vector<sweep::PointIndex> suspects;  // ascending: to be tried last, one at a time
};

inline constexpr int deaths_to_poison = 3;  // at one point, no fatal signal seen

// Contract: no launch of this folder is running. Points of `done` are no longer suspected, nor are those
// whose failure was recorded in a later launch than the claim's.
[[nodiscard]] Quarantine find_quarantine(const std::filesystem::path& folder, const std::string& sweep_key,
                                         const IdSet& done, std::span<const results::Failure> told,
                                         Disk& = real_disk());

}  // namespace echo::parallel
