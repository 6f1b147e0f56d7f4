// Sweeps as text: four lines that are fine, and what a test adds to them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/temp_catalog.hpp"

namespace echo::config {

class SweepFile : public ::testing::Test {
 protected:
  // Four lines that are fine; `more` starts on line 5, inside [space].
  [[nodiscard]] std::vector<std::string> problems(const std::string& more) const {
    return temp_.problems("[space]\nmodel = \"gpt3-175b\"\ncluster = \"h800-96\"\nglobal_batch = 1536\n" +
                          more);
  }
  [[nodiscard]] sweep::SweepSpec spec(const std::string& more) const {
    return config::read_sweep(
               temp_.sweep("[space]\nmodel = \"gpt3-175b\"\ncluster = \"h800-96\"\nglobal_batch = 1536\n" +
                           more))
        .spec;
  }
  [[nodiscard]] std::vector<std::int64_t> values(const std::string& more) const {
    std::vector<std::int64_t> numbers;
    const sweep::SweepSpec read = spec(more);
    for (const auto& value : read.dimensions.back().columns.back().values) numbers.push_back(value.number);
    return numbers;
  }
  support::TempCatalog temp_;
};

}  // namespace echo::config
