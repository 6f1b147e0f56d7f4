#include "profilers/overlap/overlap_ratio.hpp"

#include <algorithm>

namespace echo::profilers {

double ratio_of_alone(double observed, double overlapped, double alone) {
  return std::clamp(1.0 - (1.0 - observed) * overlapped / alone, 0.0, 1.0);
}

}  // namespace echo::profilers
