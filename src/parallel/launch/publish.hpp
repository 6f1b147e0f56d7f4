// The order of steps in which a launch puts a file in its place and removes what it no longer needs, such
// that a launch that is killed or frozen between any two of them, and goes on when another has taken its
// lock, destroys nothing.
#pragma once

#include <filesystem>

#include "parallel/launch/launch_lock.hpp"
#include "parallel/platform/surroundings.hpp"
#include "results/write/result_file.hpp"

namespace echo::parallel {

// Writes a file under a name of its own, FILE.h5.TOKEN.tmp, reads it back, syncs it, and moves it to `file`
// while the lock is ours. UserError 5.
results::WriteSummary publish(const Surroundings&, const Fence&, const std::filesystem::path& file,
                              const FileContents&);

// The first act of a launch that has the lock: afterwards no launch before it can move a file to `file`.
// UserError 5 where the folder cannot be read.
void remove_unfinished(Disk&, const std::filesystem::path& file);

// Removes journals and claims, and their folder if nothing else is in it. Files that are not ours stay. False
// when some could not be removed.
bool remove_journals(Disk&, const Fence&, const std::filesystem::path& folder);

}  // namespace echo::parallel
