// NCCL searches the node's links for parallel channels of equal speed. It tries a fixed list of speeds from
// the fastest link downwards, debits each channel from every link on its path, and stops when the links are
// used up; few fast channels are then split in two. On a switched node, where every GPU has the same links,
// this reduces to
//   channels(speed) = min(floor(nvlink / speed), rails * floor(rail / speed)),   best = the most
//   channels * speed
// with the earlier (faster) speed kept in a tie. Trees keep the ring's network channels but may run up to
// twice as fast inside the node, speed by speed up the list; a chain loads each GPU (n-1)/n as much as a
// ring does. NVLS heads, at most 32, load every GPU's link once and their own twice: n + 1 times in all.
// Source: NVIDIA/nccl src/graph/search.cc (speed arrays, ncclTopoCompute, ncclTopoDupChannels,
// ncclTopoSearchTryNvls), connect.cc (ncclTopoPostset), topo.h (per-link rates). Neglected: unequal links
// (DGX-1 cube mesh, bridged pairs), cross-NIC rings.
#include "collective/channel_graph.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace echo::collective {
namespace {

constexpr double intra_80[] = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
constexpr double inter_80[] = {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, .24, .12};
constexpr double intra_90[] = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
constexpr double inter_90[] = {48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, .24, .12};
constexpr double intra_100[] = {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18};
constexpr double inter_100[] = {96, 86,   80, 48, 45.1, 42, 40,  30,  24,  22,
                                20, 17.5, 15, 12, 6,    3,  2.4, 1.2, .24, .12};
constexpr std::int32_t most_channels = 32;
constexpr std::int32_t most_direct = 8;  // heads of CollNet direct: NCCL_MAX_DIRECT_ARITY + 1
constexpr std::int32_t most_heads = 32;  // of NVLS: NCCL_MAX_NVLS_ARITY

std::span<const double> intra_speeds(std::int32_t cc) {
  if (cc >= 100) return intra_100;
  if (cc >= 90) return intra_90;
  return intra_80;
}

std::span<const double> inter_speeds(std::int32_t cc) {
  if (cc >= 100) return inter_100;
  if (cc >= 90) return inter_90;
  return inter_80;
}

std::int32_t whole(double ratio) { return static_cast<std::int32_t>(std::floor(ratio + 1e-9)); }

// The fastest listed speed that `limit` carries, or `limit` itself below the list.
double fastest(std::span<const double> speeds, double limit) {
  for (const double speed : speeds) {
    if (speed <= limit) return speed;
  }
  return limit;
}

// The speed reached by going up the list from `start` as long as `limit` allows, until `aim` is reached or
// exceeded.
double raised(std::span<const double> speeds, double start, double aim, double limit) {
  double speed = start;
  for (auto next = speeds.rbegin(); next != speeds.rend() && speed < aim; ++next) {
    if (*next <= start) continue;
    if (*next > limit * (1 + 1e-9)) break;
    speed = *next;
  }
  return speed;
}

}  // namespace

double counted_nvlink(std::int32_t cc, double data_sheet) {
  if (cc >= 100) return data_sheet / 50.0 * 40.1;
  if (cc >= 90) return data_sheet / 25.0 * 20.6;
  return data_sheet / 25.0 * 20.0;
}

ChannelGraph ring_graph(const NodeLinks& node) {
  const std::int32_t cc = node.compute_capability;
  const bool uses_nvlink = node.ranks > 1;
  const double nics = node.rails * node.rail;
  double most = uses_nvlink ? node.nvlink : nics;
  if (node.multi_node) most = std::min(most, nics);
  ChannelGraph best;
  double best_rate = 0.0;
  for (const double speed : node.multi_node ? inter_speeds(cc) : intra_speeds(cc)) {
    if (best.channels > 0 && speed / best.inter <= 0.49) break;  // NCCL looks no lower than half its best
    std::int32_t channels = most_channels / 2;
    if (uses_nvlink) channels = std::min(channels, whole(node.nvlink / speed));
    if (node.multi_node) channels = std::min(channels, node.rails * whole(node.rail / speed));
    if (channels * speed > best_rate) {
      best_rate = channels * speed;
      best = {channels, speed, speed};
    }
    if (best_rate >= most) break;
  }
  if (best.channels == 0) best = {1, most, most};  // slower than any listed speed
  const bool splits = best.intra >= 25.0 && (cc <= 80 || best.intra >= 50.0 || best.channels <= 4);
  if (splits && best.channels * 2 <= most_channels) {
    best.channels *= 2;
    best.intra *= 0.5;
    best.inter *= 0.5;
  }
  return best;
}

ChannelGraph tree_graph(const NodeLinks& node, const ChannelGraph& ring) {
  const double chain =
      node.ranks > 1 ? node.nvlink * node.ranks / (node.ranks - 1) / ring.channels : 1e9;  // alone: no links
  if (!node.multi_node) {
    const double speed = std::max(ring.intra, fastest(intra_speeds(node.compute_capability), chain));
    return {ring.channels, speed, speed};
  }
  const double intra = raised(inter_speeds(node.compute_capability), ring.inter, 2.0 * ring.inter, chain);
  return {ring.channels, intra, ring.inter};
}

ChannelGraph nvls_graph(const NodeLinks& node) {
  const std::int32_t heads = std::min(node.ranks, most_heads);
  const double share = node.nvlink / (heads + 1);
  const auto speeds =
      node.multi_node ? inter_speeds(node.compute_capability) : intra_speeds(node.compute_capability);
  const double rail = node.multi_node ? node.rails * node.rail / heads : 1e9;
  const double speed = fastest(speeds, std::min(share, rail));
  return {heads, speed, raised(speeds, speed, 2.0 * speed, rail)};
}

ChannelGraph collnet_direct_graph(const NodeLinks& node) {
  const auto speeds = inter_speeds(node.compute_capability);
  const std::int32_t heads = std::min(most_direct, node.ranks);
  ChannelGraph best{1, node.rail, node.rail};
  double best_rate = 0.0;
  for (const double speed : speeds) {
    if (best_rate > 0.0 && speed / best.inter <= 0.49) break;
    const std::int32_t channels = std::min(heads, node.rails * whole(node.rail / speed));
    if (channels * speed > best_rate) best_rate = channels * speed, best = {channels, speed, speed};
  }
  // A head's link carries its own traffic and its part of the others', at most twice the speed.
  const double limit = node.ranks > 1 ? std::max(best.inter, 0.5 * node.nvlink) : 1e9;
  best.intra = raised(speeds, best.inter, 2.0 * best.inter, limit);
  return best;
}

std::int32_t communicator_channels(const NodeLinks& node, const ChannelGraph& ring) {
  std::int32_t channels = std::min(2 * ring.channels, most_channels);
  if (node.compute_capability >= 90 && node.multi_node && ring.intra > 45.0 && channels < 16) channels *= 2;
  return channels;
}

}  // namespace echo::collective
