#include "collective/communicator.hpp"

#include <algorithm>
#include <bit>

#include "base/contract.hpp"
#include "collective/rccl_tables.hpp"

namespace echo::collective {
namespace {

// A scale-up network no faster than this is PCIe: 64 GB/s is a Gen5 x16 slot.
constexpr double fastest_pcie = 64.0;

constexpr std::int32_t most_widened = 32;

Arch arch_of(std::int32_t cc) {
  if (cc >= 100) return Arch::blackwell;
  if (cc >= 90) return Arch::hopper;
  return cc >= 80 ? Arch::ampere : Arch::volta;
}

// The maximum is applied first, the minimum last: where they contradict each other, the minimum wins
// (connect.cc, ncclTopoPostset).
std::int32_t limited(std::int32_t channels, const ops::CommSettings& settings) {
  if (settings.max_channels > 0) channels = std::min(channels, settings.max_channels);
  return std::max({channels, settings.min_channels, 1});
}

}  // namespace

std::int32_t Communicator::tree_depth() const {
  return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(nodes))) - 1;
}

Communicator set_up(const machine::GroupSpan& group, const machine::GroupLinks& links,
                    const ops::CommSettings& settings, std::int32_t nccl_version) {
  ECHO_EXPECT(group.ranks >= 1);
  ECHO_EXPECT(group.ranks == 1 || links.scale_up.bandwidth.value > 0.0 ||
              links.scale_out.bandwidth.value > 0.0);
  Communicator c;
  c.tables = &nccl_tables(settings.nccl_version > 0 ? settings.nccl_version : nccl_version);
  c.ranks = group.ranks;
  c.nodes = std::max(group.nodes, 1);
  c.per_node = std::max(group.ranks_per_node, 1);
  c.compute_capability = links.compute_capability;
  c.arch = arch_of(links.compute_capability);
  c.cpu = links.cpu;
  c.nvlink = links.scale_up.bandwidth.value * 1e-9;
  c.network = links.scale_out.bandwidth.value * 1e-9;
  c.hop_latency = to_microseconds(links.scale_out.latency);
  c.inside = c.nvlink > fastest_pcie ? Level::nvlink : Level::pci;
  // Several NICs per GPU act as one fast rail (NCCL merges ports of a card; plug-ins like OFI merge cards).
  const std::int32_t rails = std::clamp(links.nics, 1, std::max(c.per_node, 1));
  const NodeLinks node{.compute_capability = c.compute_capability,
                       .ranks = c.per_node,
                       .multi_node = c.multi_node(),
                       .nvlink = c.inside == Level::nvlink ? counted_nvlink(c.compute_capability, c.nvlink)
                                                           : counted_pcie(c.nvlink),
                       .rails = rails,
                       .rail = c.network / rails};
  c.ring = ring_graph(node);
  c.same_channels = !c.multi_node() || rails == 1;
  c.tree = tree_graph(node, c.ring);
  c.nvls = nvls_graph(node);
  c.collnet_direct = collnet_direct_graph(node);
  c.library = settings.library;
  c.kernels = settings.kernels;
  c.sharp = settings.sharp;
  c.switched = c.inside == Level::nvlink && links.gpus_per_node > 2 && c.library == ops::CommLibrary::nccl;
  std::int32_t channels = communicator_channels(node, c.ring);
  if (c.library == ops::CommLibrary::rccl) channels = rccl_channels(c.per_node, c.multi_node());
  // One and a half times as many where the switches reduce and chains run faster than NICs (connect.cc).
  const bool widened = c.sharp && c.multi_node() && c.tree.intra > c.tree.inter && c.per_node > 1;
  if (widened) channels = std::min(most_widened, channels + channels / 2);
  c.channels = limited(channels, settings);
  c.p2p_channels =
      settings.max_p2p_channels > 0 ? std::min(c.channels, settings.max_p2p_channels) : c.channels;
  // NVLS kernels use 16 CTAs on Hopper, 24 (one node) or 32 on Blackwell (NCCL init.cc, ncclNvlsTuning).
  const std::int32_t nvls = c.arch == Arch::blackwell ? (c.multi_node() ? 32 : 24) : 16;
  c.nvls_channels = limited(nvls, settings);
  return c;
}

}  // namespace echo::collective
