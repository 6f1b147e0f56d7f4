// What a launch makes of the result file that it finds: complete, to be continued, of another sweep, damaged.
#pragma once

#include "parallel/journal/journal_rows.hpp"
#include "parallel/launch/look_back.hpp"

namespace echo::parallel {

// What a launch looks back with.
struct LaunchPlace {
  const Surroundings& around;
  const Fence& fence;
  const LaunchRequest& request;
  std::filesystem::path folder;  // of the journals
};

// Fills `complete` (and removes the journals, the file read back whole, unless some are of another sweep), or
// the old rows, or `replaces_another`. A damaged file is put aside (put_aside.hpp) where the journals have
// rows. UserError 5 where it is damaged and all there is, or of another sweep.
void look_at_file(const LaunchPlace&, const JournalRows&, LookBack&);

// Keeps the old rows only where the journals lack some of them, and only of a file that is whole: as above.
void settle_old_rows(const LaunchPlace&, const JournalRows&, LookBack&);

// For --fresh: the file stays until the new one is whole; a damaged one is put aside. UserError 5 where it is
// of another program.
void look_at_replaced_file(const LaunchPlace&, LookBack&);

// Afterwards they stay removed, whatever happens to the machine. UserError 5 when they cannot be.
void forget_journals(const LaunchPlace&);

}  // namespace echo::parallel
