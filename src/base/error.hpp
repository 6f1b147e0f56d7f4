// Problems that a user can fix, collected so that one pass reports them all.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace echo {

// Where a problem is; line and column are 1-based, 0 = unknown. `length` characters are underlined.
struct Place {
  std::string file;
  std::int32_t line = 0, column = 0, length = 1;
};

struct Problem {
  enum class Severity : std::int8_t { error, warning };
  Place place;
  std::string what;    // "unknown schedule \"zb-h1x\""
  std::string remedy;  // "did you mean \"zb-h1\"?": how to fix it
  Severity severity = Severity::error;
};

// Thrown once, during setup only, with every problem found; the app prints them and exits with `exit_code`.
class UserError : public std::exception {
 public:
  explicit UserError(std::vector<Problem> problems, int exit_code = 2)
      : problems_(std::move(problems)), exit_code_(exit_code) {
    if (!problems_.empty()) text_ = problems_.front().what + "; " + problems_.front().remedy;
  }
  UserError(std::string what, std::string remedy, int exit_code = 2)
      : UserError({Problem{{}, std::move(what), std::move(remedy)}}, exit_code) {}
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }
  [[nodiscard]] int exit_code() const { return exit_code_; }
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::vector<Problem> problems_;
  int exit_code_;
  std::string text_;
};

}  // namespace echo
