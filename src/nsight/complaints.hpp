// Problems of one file, collected so that one pass reports all of them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace echo::nsight {

class Complaints {
 public:
  explicit Complaints(std::string file) : file_(std::move(file)) {}
  // `line` 0: the file has none. Those past the most that anyone reads are counted only.
  void add(std::int32_t line, std::string what, std::string remedy) {
    const std::int32_t column = line > 0 ? 1 : 0;
    if (++count_ <= most) list_.push_back({{file_, line, column, 1}, std::move(what), std::move(remedy)});
  }
  [[nodiscard]] std::int64_t count() const { return count_; }
  // UserError, 2, where there is any.
  void throw_if_any() {
    if (count_ == 0) return;
    if (count_ > most)
      list_.push_back({{file_, 0, 0, 1},
                       std::to_string(count_ - most) + " more rows cannot be used",
                       "fix the rows above first"});
    throw UserError(std::move(list_));
  }

 private:
  static constexpr std::int64_t most = 50;
  std::string file_;
  std::vector<Problem> list_;
  std::int64_t count_ = 0;
};

}  // namespace echo::nsight
