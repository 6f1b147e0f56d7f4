// PyTorch's names of communication: collectives of c10d's record_param_comms, groups and their roles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/collective.hpp"
#include "trace/trace.hpp"

namespace echo::trace_io {

// The description of a call; empty and negative where it has none. Names as in the arguments of a Kineto
// event and the attributes of an execution trace's node (pytorch/pytorch, torch/csrc/profiler/util.cpp).
struct CommCall {
  std::string collective;           // "_allgather_base"
  std::string type;                 // of an element: "BFloat16"
  std::string group;                // its name
  std::string purpose;              // of the group: "default_pg", "mesh_tp"
  std::vector<std::int32_t> ranks;  // of the group, global
  bool is_ranks_cut = false;        // more than those
  std::int64_t in = -1, out = -1;   // elements
  std::int64_t group_size = -1;
  std::int32_t peer = -1;  // global rank it sends to or receives from
  friend bool operator==(const CommCall&, const CommCall&) = default;
};

enum class CommRole : std::int8_t { collective, send, recv, none };  // none: waits, coalescing marks
struct CommKind {
  CommRole role = CommRole::none;
  ops::CollectiveKind kind = ops::CollectiveKind::all_reduce;
};
// The kind of a name, with or without a prefix such as "nccl:". Nothing where it names no known
// communication.
[[nodiscard]] std::optional<CommKind> comm_kind(std::string_view name);

// Bytes as ops::CollectiveQuery counts them; 0 where the call does not say.
[[nodiscard]] Bytes payload_of(const CommCall&, CommKind);

[[nodiscard]] trace::GroupRole role_of_group(std::string_view purpose);

// "[0, 1, 2]", also cut off: "[0, 1, ..., 7]" or "[0, 1, ...]". Fills ranks and is_ranks_cut.
void read_rank_list(std::string_view text, CommCall& out);
// The ranks of a list that was cut off, where their stride goes on; else none.
[[nodiscard]] std::vector<std::int32_t> all_ranks_of(const CommCall&, std::int32_t world);

}  // namespace echo::trace_io
