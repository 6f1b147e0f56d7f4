// What a reader says about a file that it refuses.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"

namespace echo::nsight {

// Every problem as "line: what"; none where nothing is wrong.
template <class Read>
std::vector<std::string> complaints_about(Read read) {
  try {
    read();
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 2);
    std::vector<std::string> out;
    for (const Problem& problem : error.problems()) {
      EXPECT_FALSE(problem.remedy.empty());
      out.push_back(std::to_string(problem.place.line) + ": " + problem.what);
    }
    return out;
  }
  return {};
}

}  // namespace echo::nsight
