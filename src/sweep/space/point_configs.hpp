// The configs of points, each made from the one before by the axes that changed.
#pragma once

#include <cstdint>
#include <vector>

#include "sweep/language/point_state.hpp"
#include "sweep/space/config_id.hpp"
#include "sweep/space/raw_space.hpp"

namespace echo::sweep {

class PointConfigs {
 public:
  explicit PointConfigs(const RawSpace& space);  // keeps a reference

  // Goes to the config that a filled state of a sub-space means. Contract: no rule removed it.
  void go_to(std::size_t group, const PointState&);

  // normalised(config_of(state)) of the last state, and irrelevant_axes(config_of(state)) among the axes that
  // a dimension of any sub-space lists.
  [[nodiscard]] const training::TrainingConfig& config() const { return config_; }
  [[nodiscard]] const AxisSet& irrelevant() const { return irrelevant_; }

 private:
  // An axis that has not the same value at all points of a sub-space.
  struct Varying {
    Axis axis{};
    std::int32_t slot = 0;
    bool by_index = false;
    std::int32_t last = 0;
    void (*set)(training::TrainingConfig&, std::int32_t) = nullptr;
  };
  struct Group {
    std::vector<Varying> varying;
    std::vector<Axis> loose;          // those that may be irrelevant and are listed, vary or are not plain
    training::TrainingConfig config;  // of the last state, as it stands there
    bool is_read = false;
  };
  bool update(Group&, const PointState&) const;
  void read_first(Group&, std::size_t number, const PointState&) const;
  void normalise(const Group&);

  const RawSpace* space_;
  AxisSet listed_;  // by a dimension of any sub-space
  std::vector<Group> groups_;
  std::size_t group_ = SIZE_MAX;
  training::TrainingConfig config_;
  AxisSet irrelevant_;
};

}  // namespace echo::sweep
