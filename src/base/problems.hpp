// Collects the problems of the files a user gives, so that one pass reports all of them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace echo {

class Problems {
 public:
  // How many problems of one long file are reported; the rest are counted: "12 more rows cannot be used
  // either".
  struct Limit {
    int most;
    std::string_view rest;
  };
  static constexpr Limit rows_of_a_table{50, "more rows cannot be used either"};
  static constexpr Limit places_of_a_trace{20, "more places are wrong too"};

  static constexpr std::size_t most_listed = 500;  // a file with more of them is another kind of file

  // For several files that may repeat one problem: each is reported once, in order of files and lines; past
  // `most_listed`, one line says that there are more.
  Problems() = default;
  // For one long file: every problem counts, and they are reported in the order in which they were found.
  Problems(std::string file, Limit limit) : file_(std::move(file)), limit_(limit), is_limited_(true) {}

  void error(Place place, std::string what, std::string remedy) {
    ++errors_;
    if (is_limited_ && errors_ > limit_.most) return;
    add({std::move(place), std::move(what), std::move(remedy), Problem::Severity::error});
  }
  // In the one long file; line and column 0: not known.
  void error_at(std::int32_t line, std::int32_t column, std::string what, std::string remedy) {
    error({file_, line, column, 1}, std::move(what), std::move(remedy));
  }
  void warning(Place place, std::string what, std::string remedy) {
    add({std::move(place), std::move(what), std::move(remedy), Problem::Severity::warning});
  }

  // Counts repeats and what is past the limit, so that a reader can see whether what it asked for went well.
  [[nodiscard]] int errors() const { return errors_; }
  [[nodiscard]] const std::vector<Problem>& list() const { return list_; }
  // Throws UserError, exit code 2, where there is an error; warnings alone pass.
  void throw_if_any() const;

 private:
  void add(Problem problem);
  [[nodiscard]] std::vector<Problem> in_order() const;

  std::set<std::tuple<std::string, std::int32_t, std::int32_t, std::string>> told_;
  std::vector<Problem> list_;
  int errors_ = 0;
  std::string file_;
  Limit limit_{};
  bool is_limited_ = false;
};

}  // namespace echo
