// Tori with dimension-order routing the shorter way round (either where both are as long). The dateline is
// between the last and the first router: packets to a smaller coordinate (to the right across it, to the left
// short of it) use the upper half of the virtual channels, the others the lower. Source: BookSim 2,
// dim_order_torus.
#include "packets/flits/cubes/cube.hpp"

namespace echo::packets::flit_topologies {
namespace {

class Torus : public Cube {
 public:
  explicit Torus(std::int32_t radix) : Cube(radix, true) {}

  [[nodiscard]] Route route(std::int32_t router, std::int32_t in_port, std::int32_t,
                            std::int32_t virtual_channels, RoutedPacket& packet, Draws& draws,
                            const Fullness&) const override {
    const std::int32_t dimension = first_difference(router, packet.destination, false);
    if (dimension == dimensions) return {2 * dimensions, 0, virtual_channels - 1};
    std::int32_t port = in_port ^ 1;  // straight on
    if (in_port / 2 != dimension) {
      const std::int32_t here = coordinate(router, dimension);
      const std::int32_t there = coordinate(packet.destination, dimension);
      const std::int32_t slack = radix() - 2 * ((there - here + radix()) % radix());
      const bool right = slack > 0 || (slack == 0 && draws.below(2) > 0);
      port = 2 * dimension + (right ? 0 : 1);
      packet.phase = here > there ? 1 : 0;
    }
    const std::int32_t half = virtual_channels / 2;
    return packet.phase == 0 ? Route{port, 0, virtual_channels - 1 - half}
                             : Route{port, half, virtual_channels - 1};
  }
  [[nodiscard]] std::int32_t least_virtual_channels() const override { return 2; }
};

}  // namespace

extern const TopologyFamily torus{
    .name = "torus",
    .pattern = "torus8x8",
    .source = "BookSim 2, kncube",
    .make = [](std::string_view name) -> std::unique_ptr<FlitTopology> {
      const auto numbers = numbers_in(name, {"torus", "x"});
      if (!numbers || (*numbers)[0] != (*numbers)[1] || (*numbers)[0] < 2 || (*numbers)[0] > 64)
        return nullptr;
      return std::make_unique<Torus>((*numbers)[0]);
    }};

}  // namespace echo::packets::flit_topologies
