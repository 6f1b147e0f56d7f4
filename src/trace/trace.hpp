// One recorded training step: the ops of each traced GPU rank, the participants of each communication, and
// the dependencies. Readers of every format (trace_io/) fill it, the generator's steps can be written as one,
// and simulate/ replays it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/csr.hpp"
#include "base/units.hpp"
#include "machine/precision.hpp"
#include "ops/collective.hpp"
#include "ops/kernel.hpp"

namespace echo::trace {

enum class NodeKind : std::int8_t {
  compute,     // a kernel, or several merged into one
  collective,  // of a group; also host_copy, of this rank alone
  send,        // to `peer`
  recv,        // from `peer`
  memory,      // load or store of `bytes` of a tensor (ASTRA-sim, Chakra MEM_*)
  wait         // the host issues nothing until the node's needs are done (synchronisation)
};
inline constexpr std::array<std::string_view, 6> node_kind_names{"compute", "collective", "send",
                                                                 "recv",    "memory",     "wait"};

enum class Pass : std::int8_t { unknown, forward, backward, recompute, optimizer };
inline constexpr std::array<std::string_view, 5> pass_names{"unknown", "forward", "backward", "recompute",
                                                            "optimizer"};

// Purpose of a communicator. `shard`: parameters or gradients are sharded over it (ZeRO, FSDP).
enum class GroupRole : std::int8_t { unknown, data, shard, tensor, context, expert, pipeline };
inline constexpr std::array<std::string_view, 7> group_role_names{"unknown", "data",   "shard",   "tensor",
                                                                  "context", "expert", "pipeline"};

struct Group {
  std::string name;  // as in the trace; unique within one
  GroupRole role = GroupRole::unknown;
  std::vector<std::int32_t> ranks;  // global gpu ranks, in the order of the group
  friend bool operator==(const Group&, const Group&) = default;
};

struct Node {
  std::int64_t id = 0;  // as the file numbers it; unique within the rank
  NodeKind kind{};
  Pass pass{};
  ops::CollectiveKind collective{};                         // of a collective; of send and recv send_recv
  machine::Precision precision = machine::Precision::bf16;  // of its elements
  std::int32_t name = 0;                                    // of Trace::names
  std::int32_t stream = 0;   // nodes of one stream run one after the other; -1: bound by `needs` alone
  std::int32_t kernel = -1;  // index into Trace::kernels; -1: shape unknown
  std::int32_t group = -1;   // of Trace::groups; -1: none
  std::int32_t peer = -1;    // the other gpu rank of send and recv; the root of broadcast and reduce
  std::int32_t launch = -1;  // communication with the same number is launched as one (ncclGroup); -1: alone
  std::int64_t tag = 0;      // sends and receives between two ranks match by it, then by order
  SimTime duration{-1};      // as measured; negative: unknown
  SimTime gap{};             // host time between the issue of the previous node and its own; 0 if unknown
  Bytes bytes;  // communication: ops::CollectiveQuery::payload; memory: bytes moved; compute: HBM traffic, 0
  // if unknown
  double flops = 0.0;  // of compute, 0 if unknown
  [[nodiscard]] bool is_timed() const { return duration >= SimTime::zero(); }
  [[nodiscard]] bool communicates() const {
    return kind == NodeKind::collective || kind == NodeKind::send || kind == NodeKind::recv;
  }
  friend bool operator==(const Node&, const Node&) = default;
};

struct RankTrace {
  std::int32_t rank = 0;                 // global
  std::vector<std::int32_t> stands_for;  // ranks with identical behaviour, including `rank`, ascending
  std::vector<Node> nodes;               // in the order the host issues them
  Csr<std::int32_t> needs;               // [nodes] earlier nodes whose results it takes: indices < its own
  Csr<std::int32_t> follows;             // [nodes] earlier nodes it must follow for other reasons
  std::vector<std::string> extras;       // [nodes] or none: further content of the file, in the form that the
                                         // writer of Trace::format needs
  friend bool operator==(const RankTrace&, const RankTrace&) = default;
};

struct Trace {
  std::string name;        // of the file or folder, without endings
  std::string format;      // the plug-in that read it
  std::string gpu;         // GPU of the measured durations, as the driver names it; empty: unknown
  std::int32_t world = 1;  // gpu ranks of the job
  std::vector<Group> groups;
  std::vector<std::string> names;
  std::vector<ops::KernelKey> kernels;
  std::vector<RankTrace> ranks;    // ascending
  std::vector<std::string> notes;  // the reader's omissions and assumptions, for users
  std::string extras;              // the same for the whole file
  friend bool operator==(const Trace&, const Trace&) = default;
};

// The first violation as text for users; empty if the trace satisfies what replay relies on: indices in
// range, needs and follows on earlier nodes, groups of distinct ranks of the world, ranks ascending and each
// represented at most once, members take part in the communication of their groups.
[[nodiscard]] std::string why_unsound(const Trace&);

}  // namespace echo::trace
