// The state that a launch finds on disk: rows to keep, points to simulate, suspect points; or the reason why
// it must not continue.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parallel/journal/journal_rows.hpp"
#include "parallel/launch/launch.hpp"
#include "parallel/launch/quarantine.hpp"
#include "results/write/earlier_rows.hpp"

namespace echo::parallel {

struct LookBack {
  std::optional<results::FileState> complete;  // nothing to do: this file
  std::int32_t launch = 0;                     // the number of this one
  IdSet wanted;                                // all points requested from this launch
  IdSet missing;                               // of them, without suspects
  Quarantine quarantine;
  std::int64_t resumed_rows = 0;
  // Rows of an older file that go into the new one.
  std::unique_ptr<results::EarlierRows> old;
  std::vector<sweep::PointIndex> old_numbers;  // [old->count()] in this space
  IdSet old_done;
  std::vector<ForeignFrame> foreign;  // rows in journals that are left out
  std::vector<std::string> warnings;  // what was left out or put aside
  bool replaces_another = false;      // the file there is of another sweep: it stays until ours is complete
};

// On worker 0, the lock held. Removes journals that are of no use any more. A damaged result file is put
// aside (put_aside.hpp) where journals hold rows, or rows are not wanted (`fresh`). UserError 5 where old
// rows and this sweep do not match: the changes, and the remedy; where the file is damaged and all there is;
// where it is of another program.
[[nodiscard]] LookBack look_back(const Surroundings&, const Fence&, const LaunchRequest&);

}  // namespace echo::parallel
