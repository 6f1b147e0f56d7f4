// All that a launch needs of the world outside it.
#pragma once

#include "parallel/platform/disk.hpp"
#include "parallel/platform/host.hpp"
#include "parallel/platform/mail.hpp"
#include "parallel/platform/result_files.hpp"

namespace echo::parallel {

struct Surroundings {
  const Mail& mail;
  Disk& disk;
  Host& host;
  const ResultFiles& files;
};

}  // namespace echo::parallel
