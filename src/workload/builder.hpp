// Appends ops to a block, interning kernels and collectives as it goes.
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
  // Ends a stretch of the open layer.
  void cut() { block().cuts.push_back(block().size()); }
  // The next op on the compute lane waits for this one too; nothing where it is -1. At most four at a time.
  void hold_compute(OpIndex op);
  [[nodiscard]] OpIndex last_compute() const { return last_compute_; }

  // What the host has issued for the open block; and that all it issued since `before` is one graph instead.
  struct Issued {
    std::int32_t launches = 0, transfers = 0;
  };
  [[nodiscard]] Issued issued() const { return {block().launches, block().transfers}; }
  void replay_since(Issued before);

  std::int32_t intern(const ops::KernelKey& kernel);
  std::int32_t intern(const ops::CollectiveQuery& query);

  // Call once at the end: collective indices move behind the kernels, everywhere.
  void finish();

 private:
  [[nodiscard]] OpGraph& block() const { return out_.blocks[static_cast<std::size_t>(out_.block_count - 1)]; }
  Workload& out_;
  OpIndex last_compute_ = -1;
  std::array<OpIndex, 4> held_{};
  std::size_t held_count_ = 0;
  std::size_t kernel_hint_ = 0, collective_hint_ = 0;  // where the last look-up ended
};

// While it lives and `on`, the ops of a layer's pass go into one CUDA graph (Megatron-LM --cuda-graph-impl).
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
