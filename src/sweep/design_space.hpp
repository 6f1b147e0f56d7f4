// Every point of a sweep, numbered. Combinations are counted and dropped by the rules without being built one
// by one; what survives, each distinct config once, is point 0, 1, 2, ... in the order of the file's axes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulate/catalog.hpp"
#include "sweep/point_state.hpp"
#include "sweep/program.hpp"
#include "sweep/row.hpp"
#include "sweep/spec.hpp"

namespace echo::sweep {

// How many raw combinations a rule is the first, in file order, to remove.
struct RuleCount {
  std::string name;
  std::int64_t removed = 0;
  friend bool operator==(const RuleCount&, const RuleCount&) = default;
};

class DesignSpace {
 public:
  // Throws UserError where the spec does not compile or crosses to more than 2^62 combinations. Keeps a
  // reference to `catalog`, which must outlive the space.
  DesignSpace(const SweepSpec& spec, const simulate::Catalog& catalog);

  [[nodiscard]] std::int64_t raw() const { return raw_; }  // crossed combinations
  [[nodiscard]] PointIndex size() const { return static_cast<PointIndex>(survivors_.size()); }
  [[nodiscard]] std::int64_t duplicates() const { return duplicates_; }  // raw - removed - size
  // Rules in file order; those the file does not write stand here only if they removed something.
  [[nodiscard]] const std::vector<RuleCount>& waterfall() const { return waterfall_; }

  // Contract: 0 <= index < size().
  [[nodiscard]] training::TrainingConfig at(PointIndex index) const;
  [[nodiscard]] std::uint64_t config_id(PointIndex index) const;
  // The raw combination behind a point, and the point behind a raw combination (-1 = removed or a duplicate).
  [[nodiscard]] std::int64_t raw_index(PointIndex index) const;
  [[nodiscard]] PointIndex find_raw(std::int64_t raw) const;

 private:
  friend class SpaceSearch;
  const simulate::Catalog* catalog_;
  Program program_;
  std::int64_t raw_ = 1, duplicates_ = 0;
  std::vector<std::int64_t> survivors_;  // raw indices, ascending
  std::vector<RuleCount> waterfall_;
};

}  // namespace echo::sweep
