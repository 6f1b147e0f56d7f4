// What a reader says about a file that it refuses.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"

namespace echo::trace_io {

// Every problem; none where nothing is wrong.
template <class Read>
std::vector<std::string> complaints_about(const Read& read, int exit_code = 2) {
  try {
    read();
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), exit_code);
    std::vector<std::string> out;
    for (const Problem& problem : error.problems()) {
      EXPECT_FALSE(problem.remedy.empty());
      out.push_back(problem.what);
    }
    return out;
  }
  return {};
}

}  // namespace echo::trace_io
