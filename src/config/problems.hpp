// Collects every problem of every file, so that one pass shows them all.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace echo::config {

class Problems {
 public:
  void error(Place place, std::string what, std::string remedy) {
    list_.push_back({std::move(place), std::move(what), std::move(remedy), Problem::Severity::error});
    ++errors_;
  }
  void warning(Place place, std::string what, std::string remedy) {
    list_.push_back({std::move(place), std::move(what), std::move(remedy), Problem::Severity::warning});
  }
  [[nodiscard]] int errors() const { return errors_; }
  [[nodiscard]] const std::vector<Problem>& list() const { return list_; }
  // Throws UserError where there is an error; warnings alone pass.
  void throw_if_any() const {
    if (errors_ > 0) throw UserError(list_);
  }

 private:
  std::vector<Problem> list_;
  int errors_ = 0;
};

}  // namespace echo::config
