// The part of an update that goes through the host or a memory tier.
#pragma once

#include <array>

#include "workload/layer/transformer.hpp"

namespace echo::workload {

struct UpdateLeg {
  TimeCategory part{};
  ops::CollectiveQuery query;
};
struct UpdateLegs {
  std::array<UpdateLeg, 3> leg;
  std::int32_t count = 0;
  void add(TimeCategory part, const ops::CollectiveQuery& query) {
    leg[static_cast<std::size_t>(count++)] = {part, query};
  }
};
// In their order, one after the other, of a rank that updates `updated` parameters; none where states and
// weights live on the GPU. `gradients_are_there`: in the host's memory already.
[[nodiscard]] UpdateLegs update_legs(const BlockContext&, std::int64_t updated, bool gradients_are_there);

}  // namespace echo::workload
