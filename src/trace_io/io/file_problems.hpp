// Problems of a trace file, collected so that one pass reports all of them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace echo::trace_io {

class FileProblems {
 public:
  explicit FileProblems(std::string file) : file_(std::move(file)) {}
  // Those past the most that anyone reads are counted only. `line`, `column` 0: the file has none.
  void add(std::int32_t line, std::int32_t column, std::string what, std::string remedy) {
    if (++count_ <= most) list_.push_back({{file_, line, column, 1}, std::move(what), std::move(remedy)});
  }
  // As the message says it: "byte 1234: ...".
  void at_byte(std::int64_t offset, const std::string& what, std::string remedy) {
    add(0, 0, "byte " + std::to_string(offset) + ": " + what, std::move(remedy));
  }
  [[nodiscard]] std::int64_t count() const { return count_; }
  // UserError, 2, where there is any.
  void throw_if_any() {
    if (count_ == 0) return;
    if (count_ > most)
      list_.push_back({{file_, 0, 0, 1},
                       std::to_string(count_ - most) + " more places are wrong",
                       "fix the places above first"});
    throw UserError(std::move(list_));
  }

 private:
  static constexpr std::int64_t most = 20;
  std::string file_;
  std::vector<Problem> list_;
  std::int64_t count_ = 0;
};

}  // namespace echo::trace_io
