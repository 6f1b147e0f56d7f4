// Flattened butterflies of two dimensions: k x k routers, each joined to all of its row and of its column,
// with c = side x side nodes that are numbered as one grid of k side x k side. The row is corrected first.
// Source: BookSim 2, flatfly with ran_min; Kim, Dally, Abts, "Flattened butterfly: a cost-efficient topology
// for high-radix networks", ISCA 2007.
#include "packets/flits/flit_topology.hpp"

namespace echo::packets::flit_topologies {
namespace {

// Ports below c: nodes; then k - 1 of the row, then k - 1 of the column.
class FlattenedButterfly : public FlitTopology {
 public:
  FlattenedButterfly(std::int32_t side, std::int32_t radix) : side_(side), radix_(radix) {
    routers = radix * radix;
    nodes = routers * side * side;
    ports = side * side + 2 * (radix - 1);
    digit_base = side * radix;
    digits = 2;
    for (std::int32_t node = 0; node < nodes; ++node) {
      channels.push_back({-1, -1, router_of(node), port_of(node), node, 1});
      channels.push_back({router_of(node), port_of(node), -1, -1, node, 1});
    }
    for (std::int32_t router = 0; router < routers; ++router)
      for (std::int32_t i = 0; i < radix; ++i) {
        const std::int32_t row = router / radix, column = router % radix;
        if (i != column)
          channels.push_back({router, port(0, column, i), row * radix + i, port(0, i, column), -1, 1});
        if (i != row)
          channels.push_back({router, port(1, row, i), i * radix + column, port(1, i, row), -1, 1});
      }
  }

  [[nodiscard]] Route route(std::int32_t router, std::int32_t, std::int32_t, std::int32_t virtual_channels,
                            RoutedPacket& packet, Draws&, const Fullness&) const override {
    const std::int32_t target = router_of(packet.destination), last = virtual_channels - 1;
    if (target == router) return {port_of(packet.destination), 0, last};
    if (target % radix_ != router % radix_) return {port(0, router % radix_, target % radix_), 0, last};
    return {port(1, router / radix_, target / radix_), 0, last};
  }

 private:
  [[nodiscard]] std::int32_t port(std::int32_t dimension, std::int32_t here, std::int32_t there) const {
    return side_ * side_ + (radix_ - 1) * dimension + (there > here ? there - 1 : there);
  }
  [[nodiscard]] std::int32_t router_of(std::int32_t node) const {
    const std::int32_t x = node % digit_base, y = node / digit_base;
    return y / side_ * radix_ + x / side_;
  }
  [[nodiscard]] std::int32_t port_of(std::int32_t node) const {
    const std::int32_t x = node % digit_base, y = node / digit_base;
    return side_ * (y % side_) + x % side_;
  }

  std::int32_t side_, radix_;
};

}  // namespace

extern const TopologyFamily flattened_butterfly{
    .name = "flattened_butterfly",
    .pattern = "flatfly_c4k4n2",
    .source = "BookSim 2, flatfly",
    .make = [](std::string_view name) -> std::unique_ptr<FlitTopology> {
      const auto numbers = numbers_in(name, {"flatfly_c", "k", "n"});
      if (!numbers || (*numbers)[2] != 2 || (*numbers)[1] < 2 || (*numbers)[1] > 16) return nullptr;
      for (std::int32_t side = 1; side <= 8; ++side)
        if (side * side == (*numbers)[0]) return std::make_unique<FlattenedButterfly>(side, (*numbers)[1]);
      return nullptr;
    }};

}  // namespace echo::packets::flit_topologies
