// Moves a damaged result file out of the way, so that a launch can write its own; nothing is overwritten.
#pragma once

#include <filesystem>

#include "parallel/launch/launch_lock.hpp"
#include "parallel/platform/disk.hpp"

namespace echo::parallel {

// Renames FILE.h5 to FILE.h5.damaged, or FILE.h5.damaged.2, ...: the first name that is free. Returns the new
// name. UserError 5 where the folder refuses, and where the lock is no longer ours: what was moved may then
// be another launch's finished file, and is put back.
std::filesystem::path put_aside(const std::filesystem::path& file, Disk&, const Fence&);

}  // namespace echo::parallel
