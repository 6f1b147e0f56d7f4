// Meshes, with dimension-order routing (mesh8x8) or adaptive routing (mesh8x8_adaptive): the packet takes the
// order of dimensions whose first port has the emptier buffers downstream and keeps it; either order has half
// of the virtual channels. Source: BookSim 2, dim_order_mesh and adaptive_xy_yx_mesh; Dally and Towles,
// "Principles and practices of interconnection networks", 2004.
#include "packets/flits/cubes/cube.hpp"

namespace echo::packets::flit_topologies {
namespace {

class Mesh : public Cube {
 public:
  Mesh(std::int32_t radix, bool adapts) : Cube(radix, false), adapts_(adapts) {}

  [[nodiscard]] Route route(std::int32_t router, std::int32_t in_port, std::int32_t in_channel,
                            std::int32_t virtual_channels, RoutedPacket& packet, Draws& draws,
                            const Fullness& fullness) const override {
    const std::int32_t ascending = port_to(router, packet.destination, false);
    if (!adapts_ || router == packet.destination) return {ascending, 0, virtual_channels - 1};
    const std::int32_t descending = port_to(router, packet.destination, true);
    const std::int32_t half = virtual_channels / 2;
    bool ascends = in_channel < half;
    if (in_port == 2 * dimensions) {
      const std::int32_t difference = fullness.used(ascending) - fullness.used(descending);
      ascends = difference != 0 ? difference < 0 : draws.below(2) > 0;
    }
    return ascends ? Route{ascending, 0, virtual_channels - 1 - half}
                   : Route{descending, half, virtual_channels - 1};
  }
  [[nodiscard]] std::int32_t least_virtual_channels() const override { return adapts_ ? 2 : 1; }

 private:
  [[nodiscard]] std::int32_t port_to(std::int32_t router, std::int32_t destination, bool descending) const {
    const std::int32_t dimension = first_difference(router, destination, descending);
    if (dimension == dimensions) return 2 * dimensions;
    return 2 * dimension + (coordinate(router, dimension) < coordinate(destination, dimension) ? 0 : 1);
  }

  bool adapts_;
};

}  // namespace

extern const TopologyFamily mesh{
    .name = "mesh",
    .pattern = "mesh8x8, mesh8x8_adaptive",
    .source = "BookSim 2, kncube",
    .make = [](std::string_view name) -> std::unique_ptr<FlitTopology> {
      constexpr std::string_view suffix = "_adaptive";
      const bool adapts = name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix;
      if (adapts) name.remove_suffix(suffix.size());
      const auto numbers = numbers_in(name, {"mesh", "x"});
      if (!numbers || (*numbers)[0] != (*numbers)[1] || (*numbers)[0] < 2 || (*numbers)[0] > 64)
        return nullptr;
      return std::make_unique<Mesh>((*numbers)[0], adapts);
    }};

}  // namespace echo::packets::flit_topologies
