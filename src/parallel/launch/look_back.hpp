// What a launch finds on the disk and makes of it: rows that stay, points to do, points to beware of; or why
// it must not go on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "parallel/launch/launch.hpp"
#include "parallel/launch/quarantine.hpp"
#include "results/write/old_rows.hpp"

namespace echo::parallel {

struct LookBack {
  std::optional<results::FileState> complete;  // nothing to do: this file
  std::int32_t launch = 0;                     // the number of this one
  IdSet wanted;                                // all this launch is asked for
  IdSet missing;                               // of them, without suspects
  Quarantine quarantine;
  std::int64_t resumed_rows = 0;
  // Rows of an older file that go into the new one.
  std::unique_ptr<results::OldRows> old;
  std::vector<sweep::PointIndex> old_numbers;  // [old->count()] in this space
  IdSet old_done;
  bool replaces_another = false;  // the file there is of another sweep: it stays until ours is complete
};

// On worker 0, the lock held. Removes journals that are of no use any more. UserError 5 where old rows and
// this sweep do not fit together: what changed, and what to do.
[[nodiscard]] LookBack look_back(const LaunchRequest&);

}  // namespace echo::parallel
