// The rows of an older result file, as a launch looks at them that may keep some.
#pragma once

#include <cstdint>

#include "results/file_header.hpp"
#include "sweep/run/row.hpp"
#include "training/feasibility.hpp"

namespace echo::results {

class EarlierRows {
 public:
  virtual ~EarlierRows() = default;
  [[nodiscard]] virtual std::int64_t count() const = 0;
  // Contract: 0 <= row < count().
  [[nodiscard]] virtual std::uint64_t config_id(std::int64_t row) const = 0;
  [[nodiscard]] virtual sweep::PointIndex number(
      std::int64_t row) const = 0;  // in the space the file was written for
  [[nodiscard]] virtual training::Status status(std::int64_t row) const = 0;
  [[nodiscard]] virtual const FileState& state() const = 0;
  [[nodiscard]] virtual std::int32_t next_launch() const = 0;  // a number none of its launches bears
};

}  // namespace echo::results
