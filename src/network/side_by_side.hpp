// The traffic between nodes of all groups of a kind at once, side by side on a machine.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/group.hpp"
#include "machine/network_graph.hpp"
#include "network/nccl_phases.hpp"
#include "ops/collective.hpp"
#include "textbook/phases.hpp"

namespace echo::network {

// `kind`: an all-to-all or a send goes between pairs; all others as the algorithm's all-reduce. `scattered`:
// the nodes stand in random order under the fabric.
struct Traffic {
  ops::NcclAlgorithm algorithm = ops::NcclAlgorithm::ring;
  ops::CollectiveKind kind = ops::CollectiveKind::all_reduce;
  bool scattered = false;
};

// Whether members stand evenly on domains of `domain` GPUs, as the functions below need.
[[nodiscard]] bool is_regular(const machine::GroupSpan&, std::int32_t domain);

// One phase of all groups of a block of stride * ranks GPUs, between domains only; each transfer of `piece`
// bytes. Members are GPUs of the block.
[[nodiscard]] textbook::Phases side_by_side(const machine::GroupSpan&, Traffic, std::int64_t piece,
                                            std::int32_t domain);

// Bytes that leave a node for one group meanwhile, in the convention of the closed forms.
[[nodiscard]] double bytes_of_node(const machine::GroupSpan&, Traffic, std::int64_t piece);

// Bytes of one such transfer over all steps of a collective of `payload`, as in ops::CollectiveQuery.
[[nodiscard]] std::int64_t bytes_between_pair(const machine::GroupSpan&, Traffic, ops::CollectiveKind,
                                              std::int64_t payload);

// The GPU of the machine that each GPU of the block is.
[[nodiscard]] std::vector<std::int32_t> slots_of(const machine::NetworkGraph&, bool scattered,
                                                 std::uint64_t seed);

}  // namespace echo::network
