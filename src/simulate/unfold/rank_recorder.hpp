// Records the ops of one GPU rank as nodes of a trace, in the order its host issues them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulate/catalog.hpp"
#include "simulate/unfold/recorded_groups.hpp"
#include "simulate/unfold/step_timeline.hpp"
#include "simulate/unfold/task_blocks.hpp"
#include "trace/trace.hpp"

namespace echo::simulate {

// Tables that all ranks of a trace share.
struct TraceTables {
  trace::Trace& trace;
  TraceGroups& groups;
  std::map<std::string, std::int32_t> names = {};  // their places in Trace::names
  std::int32_t name(const std::string&);
};

class RankTraceWriter {
 public:
  // Keeps references; nodes go to `out` and what they count as to `parts`.
  RankTraceWriter(const training::TrainingConfig&, const SimulatedStep&, TraceTables&, std::int32_t rank,
                  trace::RankTrace& out, std::vector<TimeCategory>& parts);
  void write_task(const Slice&);
  void write_tail();

 private:
  using NodeIndex = std::int32_t;
  // A node with what it waits for; -1 among these: nothing.
  struct Draft {
    trace::Node node;
    TimeCategory part = TimeCategory::other;
    std::vector<NodeIndex> needs = {}, follows = {};
  };
  // Dependences of a block of ops.
  struct Border {
    std::vector<NodeIndex> inputs;   // received by its task, before whose first op it is; else none
    NodeIndex before = -1;           // the compute op it comes after
    bool gathers_ahead = false;      // TaskBlocks::gathers_ahead
    std::vector<std::int32_t> done;  // [work] how many of its ops ran before
  };
  struct Operand {
    NodeIndex node = -1;
    trace::Pass pass{};
  };
  // Between two chunks on different stages; `number` is that of the first of the two.
  struct Hop {
    std::int32_t number = 0, peer = 0;  // peer: a gpu rank
  };

  NodeIndex add(Draft);
  [[nodiscard]] std::optional<Hop> hop_of(const timeline::Task&, bool incoming) const;
  [[nodiscard]] Draft transfer(const timeline::Task&, Hop, bool incoming);
  void receive(const timeline::Task&, std::vector<NodeIndex>& arrived);
  void send(const timeline::Task&);
  void write_block(const workload::OpGraph&, Border&, trace::Pass);
  void add_waits(const workload::OpGraph&, OpId op, const Border&, Draft&);
  [[nodiscard]] trace::Pass pass_of(const workload::OpGraph&, OpId op, trace::Pass of_task) const;
  NodeIndex write_op(WorkId work, Lane, Draft);
  NodeIndex write_ring_step(Draft);
  void write_run(const workload::WorkRun&, TailPlace);
  void describe_kernel(KernelId, Draft&);
  [[nodiscard]] const ops::CollectiveQuery& collective_query(WorkId) const;
  void describe_collective(const ops::CollectiveQuery&, training::GroupKind, Draft&);

  const training::TrainingConfig& config_;
  const SimulatedStep& step_;
  TraceTables& tables_;
  trace::RankTrace& out_;
  std::vector<TimeCategory>& parts_;
  std::int32_t of_stage_, stage_;
  bool posts_late_;                               // receives, where these block
  std::array<NodeIndex, lane_count + 9> last_{};  // [streams]
  std::vector<NodeIndex> starts_;                 // what the next compute op waits for, of its task
  NodeIndex blocking_send_ = -1;                  // the same
  std::vector<Operand> block_;                    // [ops] of the block in hand
  std::vector<NodeIndex> tail_;                   // what the next op of the tail comes after
  std::int32_t launches_ = 0, roots_ = 0;         // handed out so far
};

}  // namespace echo::simulate
