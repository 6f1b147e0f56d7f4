// The numbered points of a sweep: the combinations that satisfy the rules, each distinct config once, are
// points 0, 1, 2, ... in the order of the file's axes. Points are decoded on demand from a compact index.
#pragma once

#include <cstdint>
#include <optional>

#include "simulate/catalog.hpp"
#include "sweep/run/row.hpp"
#include "sweep/space/raw_cursor.hpp"
#include "sweep/space/raw_space.hpp"
#include "sweep/space/repeats.hpp"
#include "sweep/space/space_index.hpp"
#include "sweep/spec.hpp"

namespace echo::sweep {

class DesignSpace {
 public:
  // Throws UserError where the spec does not compile, crosses to more than 2^62 combinations, or has fewer
  // points than [search] asks for. Keeps a reference to `catalog`, which must outlive the space.
  DesignSpace(const SweepSpec& spec, const simulate::Catalog& catalog);
  // With an index made elsewhere, of the same spec and catalog.
  DesignSpace(const SweepSpec& spec, const simulate::Catalog& catalog, SpaceIndex index);

  [[nodiscard]] std::int64_t raw() const { return raw_.size(); }  // crossed combinations
  [[nodiscard]] PointIndex size() const { return index_.size(); }
  // Survivors that are no points: they repeat an earlier one. 0 for a sampled space.
  [[nodiscard]] std::int64_t duplicates() const { return index_.duplicates; }
  // The terms of the whole training, which limits need.
  [[nodiscard]] const campaign::Terms& terms() const { return terms_; }
  [[nodiscard]] std::int64_t work_budget() const { return work_budget_; }  // of simulate(); 0 = its default
  [[nodiscard]] const simulate::Skew& skew() const { return skew_; }
  [[nodiscard]] const RawSpace& raw_space() const { return raw_; }
  [[nodiscard]] const SpaceIndex& index() const { return index_; }

  // Contract: 0 <= index < size(). One point costs a walk of up to IndexSegment::stride survivors; for many
  // in a row use PointCursor.
  [[nodiscard]] training::TrainingConfig at(PointIndex index) const;
  [[nodiscard]] std::uint64_t config_id(PointIndex index) const;
  // The raw combination behind a point, and the point behind a raw combination (-1 = removed, a duplicate, or
  // not sampled).
  [[nodiscard]] std::int64_t raw_index(PointIndex index) const;
  [[nodiscard]] PointIndex find_raw(std::int64_t raw) const;

 private:
  RawSpace raw_;
  SpaceIndex index_;
  campaign::Terms terms_;
  std::int64_t work_budget_;
  simulate::Skew skew_;
};

// The share `part` of `parts` of the index of a sweep's points, whatever its search strategy. A sample is
// drawn as a whole: share 0 has all of it.
[[nodiscard]] SpaceIndex index_part(const SweepSpec& spec, const RawSpace& space, std::int64_t part,
                                    std::int64_t parts);

// Visits points in order; keeps what neighbours have in common between them.
class PointCursor {
 public:
  explicit PointCursor(const DesignSpace& space);  // keeps a reference
  // Contract: 0 <= index < size(). Cheap where index follows the one before.
  void go_to(PointIndex index);

  [[nodiscard]] PointIndex index() const { return index_; }
  [[nodiscard]] std::int64_t raw() const { return cursor_.raw(); }
  [[nodiscard]] const training::TrainingConfig& config();  // normalised; until the cursor goes on
  [[nodiscard]] const PointState& state() const { return cursor_.state(); }
  [[nodiscard]] const Program& program() const;  // of the point's sub-space

 private:
  const DesignSpace* space_;
  RawCursor cursor_;
  RepeatTest repeats_;
  PointIndex index_ = -1;
};

}  // namespace echo::sweep
