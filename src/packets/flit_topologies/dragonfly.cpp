// Dragonflies: groups of a = 2 p routers, all joined within a group, p nodes and p global links a router, and
// a p + 1 groups, each joined to every other by one global link. Minimal routing: local, global, local; the
// second virtual channel from the global link on. Channels take 10 cycles within a group and 100 between
// groups. Source: BookSim 2, dragonflynew with min; Kim, Dally, Scott, Abts, "Technology-driven,
// highly-scalable dragonfly topology", ISCA 2008.
#include "packets/flits/flit_topology.hpp"

namespace echo::packets::flit_topologies {
namespace {

constexpr std::int32_t local_latency = 10, global_latency = 100;

// Ports below p: nodes; then a - 1 to the group; then p global.
class Dragonfly : public FlitTopology {
 public:
  explicit Dragonfly(std::int32_t p) : p_(p), group_(2 * p), groups_(2 * p * p + 1) {
    routers = group_ * groups_;
    nodes = routers * p;
    ports = p + group_ - 1 + p;
    digit_base = p;
    digits = 1;
    for (std::int32_t node = 0; node < nodes; ++node) {
      channels.push_back({-1, -1, node / p, node % p, node, 1});
      channels.push_back({node / p, node % p, -1, -1, node, 1});
    }
    for (std::int32_t router = 0; router < routers; ++router) add_channels_of(router);
  }

  [[nodiscard]] Route route(std::int32_t router, std::int32_t in_port, std::int32_t, std::int32_t,
                            RoutedPacket& packet, Draws&, const Fullness&) const override {
    if (in_port < p_) packet.phase = 0;
    const std::int32_t target = packet.destination / p_;
    const std::int32_t here = router / group_, there = target / group_;
    const std::int32_t link = there - (there > here ? 1 : 0);  // of the group's global links
    const std::int32_t next = here == there ? target : here * group_ + link / p_;
    std::int32_t port = packet.destination % p_;
    if (router != target) port = next == router ? p_ + group_ - 1 + link % p_ : local_port(router, next);
    if (port >= p_ + group_ - 1) packet.phase = 1;
    return {port, packet.phase, packet.phase};
  }
  [[nodiscard]] Route injection(std::int32_t virtual_channels, Draws& draws) const override {
    const std::int32_t channel = draws.below(virtual_channels);
    return {-1, channel, channel};
  }
  [[nodiscard]] std::int32_t least_virtual_channels() const override { return 2; }

 private:
  [[nodiscard]] std::int32_t local_port(std::int32_t router, std::int32_t other) const {
    return p_ + other % group_ - (other > router ? 1 : 0);
  }

  void add_channels_of(std::int32_t router) {
    const std::int32_t here = router / group_;
    for (std::int32_t other = here * group_; other < (here + 1) * group_; ++other)
      if (other != router)
        channels.push_back(
            {router, local_port(router, other), other, local_port(other, router), -1, local_latency});
    for (std::int32_t i = 0; i < p_; ++i) {
      const std::int32_t link = router % group_ * p_ + i, there = link + (link >= here ? 1 : 0);
      const std::int32_t back = here - (here > there ? 1 : 0);  // the link of the other group
      channels.push_back({router, p_ + group_ - 1 + i, there * group_ + back / p_,
                          p_ + group_ - 1 + back % p_, -1, global_latency});
    }
  }

  std::int32_t p_, group_, groups_;
};

}  // namespace

extern const TopologyFamily dragonfly{.name = "dragonfly",
                                      .pattern = "dragonfly_p2",
                                      .source = "BookSim 2, dragonflynew",
                                      .make = [](std::string_view name) -> std::unique_ptr<FlitTopology> {
                                        const auto numbers = numbers_in(name, {"dragonfly_p"});
                                        if (!numbers || (*numbers)[0] > 6) return nullptr;
                                        return std::make_unique<Dragonfly>((*numbers)[0]);
                                      }};

}  // namespace echo::packets::flit_topologies
