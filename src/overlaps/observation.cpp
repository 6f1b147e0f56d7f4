#include "overlaps/observation.hpp"

namespace echo::overlaps {

double share_of(std::int64_t part, const Activity& one) {
  return one.duration > 0 ? static_cast<double>(part) / static_cast<double>(one.duration) : 0.0;
}

}  // namespace echo::overlaps
