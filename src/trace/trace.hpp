// One training step as some tool recorded it: the ops of each traced gpu rank, who takes part in each
// communication, and what waits for what. Readers of every format fill it (interchange/), the generator's
// steps can be written as one, and simulate/ replays it.
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
  compute,     // a kernel, or several that run as one
  collective,  // of a group; also host_copy, of this rank alone
  send,        // to `peer`
  recv,        // from `peer`
  memory,      // load or store of `bytes` of a tensor (ASTRA-sim, Chakra MEM_*)
  wait         // the host issues nothing more until the node's needs are done (synchronisations)
};
inline constexpr std::array<std::string_view, 6> node_kind_names{"compute", "collective", "send",
                                                                 "recv",    "memory",     "wait"};

enum class Pass : std::int8_t { unknown, forward, backward, recompute, optimizer };
inline constexpr std::array<std::string_view, 5> pass_names{"unknown", "forward", "backward", "recompute",
                                                            "optimizer"};

// What a communicator is for. `shard`: parameters or gradients are spread over it (ZeRO, FSDP).
enum class GroupRole : std::int8_t { unknown, data, shard, tensor, context, expert, pipeline };
inline constexpr std::array<std::string_view, 7> group_role_names{"unknown", "data",   "shard",   "tensor",
                                                                  "context", "expert", "pipeline"};

struct Group {
  std::string name;  // as the trace has it; unique within one
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
  std::int32_t kernel = -1;  // of Trace::kernels; -1: its shape is not known
  std::int32_t group = -1;   // of Trace::groups; -1: none
  std::int32_t peer = -1;    // the other gpu rank of send and recv; the root of broadcast and reduce
  std::int32_t launch = -1;  // communication with the same number goes out as one (ncclGroup); -1: by itself
  std::int64_t tag = 0;      // sends and receives between two ranks match by it, then by order
  SimTime duration{-1};      // as measured; negative: not known
  SimTime gap{};             // host time between the issue of the node before and its own; 0 where not known
  Bytes bytes;  // communication: ops::CollectiveQuery::payload; memory: what moves; compute: HBM traffic, 0
                // where not known
  double flops = 0.0;  // of compute, 0 where not known
  [[nodiscard]] bool is_timed() const { return duration >= SimTime::zero(); }
  [[nodiscard]] bool communicates() const {
    return kind == NodeKind::collective || kind == NodeKind::send || kind == NodeKind::recv;
  }
  friend bool operator==(const Node&, const Node&) = default;
};

struct RankTrace {
  std::int32_t rank = 0;                 // global
  std::vector<std::int32_t> stands_for;  // ranks that behave alike, `rank` among them, ascending
  std::vector<Node> nodes;               // in the order the host issues them
  Csr<std::int32_t> needs;               // [nodes] earlier nodes whose results it takes: indices < its own
  Csr<std::int32_t> follows;             // [nodes] earlier nodes it must come after for other reasons
  std::vector<std::string> extras;       // [nodes] or none: what a file says beyond this, as its writer wants
                                         // it back (Trace::format)
  friend bool operator==(const RankTrace&, const RankTrace&) = default;
};

struct Trace {
  std::string name;        // of the file or folder, without endings
  std::string format;      // the plug-in that read it
  std::string gpu;         // what the durations were measured on, by the driver's name; empty: not known
  std::int32_t world = 1;  // gpu ranks of the job
  std::vector<Group> groups;
  std::vector<std::string> names;
  std::vector<ops::KernelKey> kernels;
  std::vector<RankTrace> ranks;    // ascending
  std::vector<std::string> notes;  // what the reader had to leave out or assume, for a user to read
  std::string extras;              // of the whole file, likewise
  friend bool operator==(const Trace&, const Trace&) = default;
};

// What is wrong with it, in a user's words; empty where replay can rely on all that is said above: indices
// in range, needs and follows on earlier nodes, groups of distinct ranks of the world, ranks ascending and
// each stood for once at most, members take part in what they are said to.
[[nodiscard]] std::string why_unsound(const Trace&);

}  // namespace echo::trace
