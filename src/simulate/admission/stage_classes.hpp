// Stages of a pipeline that hold the same: the memory of one is worked out for all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "training/layout/rank_layout.hpp"

namespace echo::simulate {

// Two stages are of one class where they differ only in their number: chunks of the same layers in the same
// order, the same ends of the model, and the same links to their neighbours.
class StageClasses {
 public:
  // Reuses buffers. Contract: chunks are where the schedule places them.
  void find(const training::RankLayout&);
  [[nodiscard]] std::int32_t stages() const { return static_cast<std::int32_t>(class_.size()); }
  [[nodiscard]] std::int32_t count() const { return count_; }
  [[nodiscard]] std::int32_t of(std::int32_t stage) const { return class_[at(stage)]; }

 private:
  void sort_chunks(const training::RankLayout&);
  [[nodiscard]] bool are_alike(const training::RankLayout&, std::int32_t a, std::int32_t b) const;
  std::vector<std::int32_t> class_;          // [stage] numbered as first met
  std::vector<std::int32_t> first_of_;       // [class] its first stage
  std::vector<std::int32_t> begin_, chunk_;  // chunks by stage: [stages + 1], [chunks]
  std::int32_t count_ = 0;
};

}  // namespace echo::simulate
