// One training by xgboost, behind its C interface. The only file that calls it; without it (a build that did
// not find xgboost) nothing but this is missing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "learn/fit/fit.hpp"

namespace echo::learn {

[[nodiscard]] bool is_built_with_xgboost();

class Booster {
 public:
  // Trains. Preconditions as fit(), and no base. UserError, 2: built without xgboost.
  Booster(const Samples&, const TreeSettings&, const std::vector<std::int32_t>& monotone, std::uint64_t seed);
  Booster(Booster&&) noexcept;
  Booster& operator=(Booster&&) noexcept;
  ~Booster();

  // The library's own prediction, values [rows][features]: what ours has to equal.
  [[nodiscard]] std::vector<float> predict(std::span<const double> values, std::size_t rows) const;
  [[nodiscard]] std::string json() const;  // the model as the library writes it

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace echo::learn
