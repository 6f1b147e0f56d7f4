// Collects every problem of every file, each once, so that one pass shows them all.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace echo::config {

class Problems {
 public:
  void error(Place place, std::string what, std::string remedy) {
    add({std::move(place), std::move(what), std::move(remedy), Problem::Severity::error});
    ++errors_;
  }
  void warning(Place place, std::string what, std::string remedy) {
    add({std::move(place), std::move(what), std::move(remedy), Problem::Severity::warning});
  }
  // Counts repeats, so that a reader can see whether its own reading succeeded.
  [[nodiscard]] int errors() const { return errors_; }
  [[nodiscard]] const std::vector<Problem>& list() const { return list_; }
  // Throws UserError if there is an error; warnings do not throw. Files are in the order of their first
  // problem, a file's problems in the order of its lines.
  void throw_if_any() const {
    if (errors_ == 0) return;
    std::vector<Problem> sorted = list_;
    const auto file = [this](const Problem& problem) {
      const auto same = [&](const Problem& other) { return other.place.file == problem.place.file; };
      return std::find_if(list_.begin(), list_.end(), same) - list_.begin();
    };
    std::stable_sort(sorted.begin(), sorted.end(), [&](const Problem& a, const Problem& b) {
      return std::tuple(file(a), a.place.line, a.place.column) <
             std::tuple(file(b), b.place.line, b.place.column);
    });
    throw UserError(std::move(sorted));
  }

 private:
  // Groups of a space share axes, and would report the same mistake once each.
  void add(Problem problem) {
    const Place& place = problem.place;
    const bool is_new = told_.emplace(place.file, place.line, place.column, problem.what).second;
    if (is_new) list_.push_back(std::move(problem));
  }
  std::set<std::tuple<std::string, std::int32_t, std::int32_t, std::string>> told_;
  std::vector<Problem> list_;
  int errors_ = 0;
};

}  // namespace echo::config
