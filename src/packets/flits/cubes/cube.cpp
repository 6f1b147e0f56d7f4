#include "packets/flits/cubes/cube.hpp"

namespace echo::packets {

Cube::Cube(std::int32_t radix, bool wraps) {
  nodes = routers = radix * radix;
  ports = 2 * dimensions + 1;
  digit_base = radix;
  digits = dimensions;
  for (std::int32_t router = 0, stride = 1; router < routers; ++router, stride = 1) {
    for (std::int32_t dimension = 0; dimension < dimensions; ++dimension, stride *= radix) {
      const std::int32_t place = coordinate(router, dimension);
      const std::int32_t right = router + (place + 1 == radix ? 1 - radix : 1) * stride;
      const std::int32_t left = router + (place == 0 ? radix - 1 : -1) * stride;
      // What goes right comes in at the receiver's port from the left, 2 d + 1.
      if (wraps || place + 1 < radix)
        channels.push_back({router, 2 * dimension, right, 2 * dimension + 1, -1, 1});
      if (wraps || place > 0) channels.push_back({router, 2 * dimension + 1, left, 2 * dimension, -1, 1});
    }
    channels.push_back({-1, -1, router, 2 * dimensions, router, 1});
    channels.push_back({router, 2 * dimensions, -1, -1, router, 1});
  }
}

std::int32_t Cube::coordinate(std::int32_t router, std::int32_t dimension) const {
  for (; dimension > 0; --dimension) router /= radix();
  return router % radix();
}

std::int32_t Cube::first_difference(std::int32_t router, std::int32_t other, bool descending) const {
  for (std::int32_t i = 0; i < dimensions; ++i) {
    const std::int32_t dimension = descending ? dimensions - 1 - i : i;
    if (coordinate(router, dimension) != coordinate(other, dimension)) return dimension;
  }
  return dimensions;
}

}  // namespace echo::packets
