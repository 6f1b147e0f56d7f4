// k-ary n-trees: n levels of k^(n-1) routers, level 0 at the top; k nodes below each of the last level.
// Packets go up by random ports to the nearest common ancestor, then down. Source: BookSim 2, fattree with
// nca.
#include "packets/flits/flit_topology.hpp"

namespace echo::packets::flit_topologies {
namespace {

std::int32_t power(std::int32_t base, std::int32_t exponent) {
  std::int32_t result = 1;
  for (; exponent > 0; --exponent) result *= base;
  return result;
}

// Ports below k lead down, the others up.
class FatTree : public FlitTopology {
 public:
  FatTree(std::int32_t arity, std::int32_t levels)
      : arity_(arity), levels_(levels), width_(power(arity, levels - 1)) {
    nodes = power(arity, levels);
    routers = levels * width_;
    ports = 2 * arity;
    digit_base = arity;
    digits = levels;
    for (std::int32_t node = 0; node < nodes; ++node) {
      const std::int32_t router = (levels - 1) * width_ + node / arity;
      channels.push_back({-1, -1, router, node % arity, node, 1});
      channels.push_back({router, node % arity, -1, -1, node, 1});
    }
    for (std::int32_t level = 0; level + 1 < levels; ++level) add_level(level);
  }

  [[nodiscard]] Route route(std::int32_t router, std::int32_t, std::int32_t, std::int32_t virtual_channels,
                            RoutedPacket& packet, Draws& draws, const Fullness&) const override {
    const std::int32_t level = router / width_;
    const std::int32_t below = power(arity_, levels_ - level);  // nodes below a router of this level
    const std::int32_t first = router % width_ / (below / arity_) * below;
    const bool is_below = packet.destination >= first && packet.destination < first + below;
    const std::int32_t port =
        is_below ? (packet.destination - first) / (below / arity_) : arity_ + draws.below(arity_);
    return {port, 0, virtual_channels - 1};
  }

 private:
  // Down port p of a router leads to the p-th branch below it, to the router at its place among the branch's,
  // and comes in there by the up port that is its own branch.
  void add_level(std::int32_t level) {
    const std::int32_t neighbourhood = power(arity_, levels_ - 1 - level), branch = neighbourhood / arity_;
    for (std::int32_t place = 0; place < width_; ++place) {
      const std::int32_t first = place / neighbourhood * neighbourhood, within = place % neighbourhood;
      for (std::int32_t port = 0; port < arity_; ++port) {
        const std::int32_t upper = level * width_ + place;
        const std::int32_t lower = (level + 1) * width_ + first + port * branch + within % branch;
        channels.push_back({upper, port, lower, arity_ + within / branch, -1, 1});
        channels.push_back({lower, arity_ + within / branch, upper, port, -1, 1});
      }
    }
  }

  std::int32_t arity_, levels_, width_;
};

}  // namespace

extern const TopologyFamily fat_tree{
    .name = "fat_tree",
    .pattern = "fattree_k4n3",
    .source = "BookSim 2, fattree",
    .make = [](std::string_view name) -> std::unique_ptr<FlitTopology> {
      const auto numbers = numbers_in(name, {"fattree_k", "n"});
      if (!numbers || (*numbers)[0] < 2 || (*numbers)[0] > 16 || (*numbers)[1] > 4) return nullptr;
      return std::make_unique<FatTree>((*numbers)[0], (*numbers)[1]);
    }};

}  // namespace echo::packets::flit_topologies
