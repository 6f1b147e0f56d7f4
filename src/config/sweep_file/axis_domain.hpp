// Constraints between the axes of one sub-space: the values of "auto", and values that no combination can
// use.
#pragma once

#include <string>
#include <vector>

#include "config/sweep_file/axis_values.hpp"

namespace echo::config {

struct ReadDimension {
  std::vector<ReadAxis> axes;  // several: zipped
  Place place;
};
[[nodiscard]] ReadAxis* find_axis(std::vector<ReadDimension>& space, sweep::Axis axis);
[[nodiscard]] const ReadAxis* find_axis(const std::vector<ReadDimension>& space, sweep::Axis axis);

// Gives every "auto" axis its values, ascending:
//   tp           divisors of the scale-up domains          vpp  divisors of the models' layers
//   pp           divisors of the GPU counts, up to the deepest model's layers
//   dp           divisors of the GPU counts                ep   divisors of the models' experts (1 for dense
//   ones) cp           1, and divisors of the GPU counts for which a sequence falls into 2 * cp equal pieces
//   micro_batch  divisors of the global batches, in sequences
void fill_automatic(std::vector<ReadDimension>& space, const simulate::Catalog& catalog, Problems& problems);

// A value that no combination of this sub-space can use.
struct Refusal {
  Place axis, value;
  std::string what, remedy;
};
[[nodiscard]] std::vector<Refusal> impossible_values(const std::vector<ReadDimension>& space,
                                                     const simulate::Catalog& catalog);

}  // namespace echo::config
