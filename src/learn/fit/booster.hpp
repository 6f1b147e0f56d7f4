// One training by xgboost through its C interface (xgboost_library.hpp). The only file that uses xgboost; a
// build without xgboost lacks only this.
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
  // Trains. Preconditions as fit(), and no base. UserError, 2: built without xgboost, or it cannot be loaded.
  Booster(const Samples&, const TreeSettings&, const std::vector<std::int32_t>& monotone, std::uint64_t seed);
  Booster(Booster&&) noexcept;
  Booster& operator=(Booster&&) noexcept;
  ~Booster();

  // The library's own prediction, values [rows][features], which ours must equal.
  [[nodiscard]] std::vector<float> predict(std::span<const double> values, std::size_t rows) const;
  [[nodiscard]] std::string json() const;  // the model as the library writes it

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace echo::learn
