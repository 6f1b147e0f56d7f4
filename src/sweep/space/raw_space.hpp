// The combinations of a sweep before any rule, numbered: those of the first sub-space, then of the next.
// Within one, the first dimension changes slowest.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/catalog.hpp"
#include "sweep/language/program.hpp"
#include "sweep/spec.hpp"

namespace echo::sweep {

class RawSpace {
 public:
  // Throws UserError where the spec does not compile or crosses to more than 2^62 combinations. Keeps a
  // reference to `catalog`, which must outlive the space.
  RawSpace(const SweepSpec& spec, const simulate::Catalog& catalog);

  [[nodiscard]] const simulate::Catalog& catalog() const { return *catalog_; }
  [[nodiscard]] std::int64_t size() const { return firsts_.back(); }
  [[nodiscard]] std::size_t groups() const { return programs_.size(); }
  [[nodiscard]] const Program& program(std::size_t group) const { return programs_[group]; }
  [[nodiscard]] std::int64_t first(std::size_t group) const { return firsts_[group]; }
  [[nodiscard]] std::int64_t end(std::size_t group) const { return firsts_[group + 1]; }
  // Combinations of the dimensions from `depth` on: what one choice of those before it stands for.
  [[nodiscard]] std::int64_t below(std::size_t group, std::size_t depth) const {
    return below_[group][depth];
  }

  // Contract: 0 <= raw < size().
  [[nodiscard]] std::size_t group_of(std::int64_t raw) const;
  // The value number in each dimension of the group that holds `raw`; `out` is resized.
  void digits_of(std::int64_t raw, std::vector<std::int64_t>& out) const;
  // The same from the digits of an earlier combination of that group, `by` before it: mostly without a
  // division.
  void add_to_digits(std::size_t group, std::int64_t by, std::vector<std::int64_t>& digits) const;
  [[nodiscard]] std::int64_t raw_of(std::size_t group, const std::vector<std::int64_t>& digits) const;

 private:
  const simulate::Catalog* catalog_;
  std::vector<Program> programs_;                 // [group]
  std::vector<std::int64_t> firsts_;              // [group + 1], ascending from 0
  std::vector<std::vector<std::int64_t>> below_;  // [group][depth], the last is 1
};

}  // namespace echo::sweep
