// Appends ops to blocks and interns their kernels and collectives.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "workload/workload.hpp"

namespace echo::workload {

using OpIndex = std::int32_t;

class Builder {
 public:
  explicit Builder(Workload& out) : out_(out) {}

  // Clears everything; buffers are kept.
  void start();
  // Opens the next block and returns its index; ops go to the open block.
  std::int32_t open_block();

  // An op on the compute lane, in lane order; `needs` are communication ops it must wait for.
  OpIndex compute(TimeCategory part, const ops::KernelKey& kernel, std::initializer_list<OpIndex> needs = {});
  // An op on a communication lane that starts when the ops in `needs` are done.
  OpIndex communicate(Lane lane, TimeCategory part, const ops::CollectiveQuery& query,
                      std::initializer_list<OpIndex> needs);
  // Ends a segment of the open layer.
  void cut() { block().cuts.push_back(block().size()); }
  // The next op on the compute lane also waits for this one; no effect if -1. At most four at a time.
  void hold_compute(OpIndex op);
  [[nodiscard]] OpIndex last_compute() const { return last_compute_; }

  // Launches of the host for the open block; the second function replaces all since `before` by one graph.
  struct Issued {
    std::int32_t launches = 0, transfers = 0;
  };
  [[nodiscard]] Issued issued() const { return {block().launches, block().transfers}; }
  void replay_since(Issued before);

  std::int32_t intern(const ops::KernelKey& kernel);
  std::int32_t intern(const ops::CollectiveQuery& query);

  // Call once at the end: shifts all collective indices past the kernels.
  void finish();

 private:
  [[nodiscard]] OpGraph& block() const { return out_.blocks[static_cast<std::size_t>(out_.block_count - 1)]; }
  Workload& out_;
  OpIndex last_compute_ = -1;
  std::array<OpIndex, 4> held_{};
  std::size_t held_count_ = 0;
  std::size_t kernel_hint_ = 0, collective_hint_ = 0;  // end of the last look-up
};

// During its lifetime, if `on`, the ops of a layer's pass form one CUDA graph (Megatron-LM
// --cuda-graph-impl).
class GraphedLayer {
 public:
  GraphedLayer(Builder& builder, bool on) : builder_(builder), on_(on), before_(builder.issued()) {}
  ~GraphedLayer() {
    if (on_) builder_.replay_since(before_);
  }
  GraphedLayer(const GraphedLayer&) = delete;
  GraphedLayer& operator=(const GraphedLayer&) = delete;

 private:
  Builder& builder_;
  bool on_;
  Builder::Issued before_;
};

}  // namespace echo::workload
