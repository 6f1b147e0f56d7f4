// What --stats prints: where the wall time of the first worker went.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace echo::cli {

class PhaseTimes {
 public:
  // The phase that began with the last one's end, or with this object, ends now.
  void end(std::string name);
  // The same, of which the first `seconds` were another phase's.
  void end_two(std::string first, double seconds, std::string second);
  [[nodiscard]] std::string text() const;

 private:
  double take();
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::vector<std::pair<std::string, double>> phases_;  // seconds
};

}  // namespace echo::cli
