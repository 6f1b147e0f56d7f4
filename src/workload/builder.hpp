// Appends ops to blocks and interns their kernels and collectives.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "base/at.hpp"
#include "training/recipe.hpp"
#include "workload/workload.hpp"

namespace echo::workload {

struct Body;

class Builder {
 public:
  explicit Builder(Workload& out) : out_(out) {}

  // Clears everything but the body; buffers are kept. The body's collectives are numbered from 0 again.
  void resume(Body&);
  // Opens the next block and returns it; ops go to the open block.
  BlockId open_block();

  // An op on the compute lane, in lane order; `needs` are communication ops it must wait for.
  OpId compute(TimeCategory part, const ops::KernelKey& kernel, std::initializer_list<OpId> needs = {});
  // An op on a communication lane that starts when the ops in `needs` are done.
  OpId communicate(Lane lane, TimeCategory part, const ops::CollectiveQuery& query,
                   std::initializer_list<OpId> needs);
  // Ends a segment of the open layer.
  void cut() { block().cuts.push_back(block().size()); }
  // The next op on the compute lane also waits for this one; no effect if none. At most four at a time.
  void hold_compute(OpId op);
  [[nodiscard]] bool holds_compute() const { return held_count_ > 0; }
  [[nodiscard]] OpId last_compute() const { return last_compute_; }
  // Ops of the open block.
  [[nodiscard]] std::int32_t size() const { return block().size(); }
  // Valid until the next block is opened.
  [[nodiscard]] const OpGraph& graph_of(BlockId opened) const { return out_.blocks[at(opened)]; }

  // Launches of the host for the open block; the second function replaces all since `before` by one graph.
  struct Issued {
    std::int32_t launches = 0, looped = 0, transfers = 0;
  };
  [[nodiscard]] Issued issued() const { return {block().launches, block().looped, block().transfers}; }
  void replay_since(Issued before);

  KernelId intern(const ops::KernelKey& kernel);
  CollectiveId intern(const ops::CollectiveQuery& query);
  // The collective as the work of an op or run. How many kernels there are is known at the end, so that until
  // finish() collectives are numbered from 0, like kernels.
  [[nodiscard]] static WorkId unfinished(CollectiveId collective) { return work_of(collective, 0); }

  // Call once at the end: shifts all collectives past the kernels.
  void finish(Body&);

 private:
  friend class OpCopies;
  [[nodiscard]] OpGraph& block() const { return out_.blocks[at(out_.block_count - 1)]; }
  Workload& out_;
  OpId last_compute_;
  std::array<OpId, 4> held_{};
  std::size_t held_count_ = 0;
  std::size_t kernel_hint_ = 0, collective_hint_ = 0;  // end of the last look-up
};

// Appends copies of another block's ops, between which others may be appended. Contract: one at a time, of a
// block of the same workload other than the open one, which stays open.
class OpCopies {
 public:
  // All that the host launches for `from` counts for the open block.
  OpCopies(Builder&, const OpGraph& from);
  // Those that are not copied yet of the first `end` ops. At most most_appended times.
  void append(std::int32_t end);
  static constexpr std::size_t most_appended = 64;
  // Contract: `op` was copied, or is about to be.
  [[nodiscard]] OpId of(OpId op) const {
    std::size_t last = count_;
    while (op.index() < stretches_[--last].first) {
    }
    return op + stretches_[last].shift;
  }

 private:
  struct Stretch {
    std::int32_t first = 0, shift = 0;  // of the ops copied at once: the first, how far all are moved
  };
  Builder& builder_;
  const OpGraph& from_;
  std::int32_t next_ = 0;
  std::array<Stretch, most_appended> stretches_;
  std::size_t count_ = 0;
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

// Parts of a layer's pass, those of which the recipe captures form CUDA graphs: one for all that adjoin
// (Megatron-LM --cuda-graph-modules). What they replay is issued at once; the GPU's own way from node to
// node, shorter than between launches, is neglected.
class GraphedParts {
 public:
  GraphedParts(Builder& builder, const training::Recipe& recipe) : builder_(builder), recipe_(recipe) {}
  ~GraphedParts() { leave(); }
  GraphedParts(const GraphedParts&) = delete;
  GraphedParts& operator=(const GraphedParts&) = delete;

  void enter(training::GraphModule module) {
    if (!recipe_.captures(module)) return leave();
    if (!on_) before_ = builder_.issued();
    on_ = true;
  }
  void leave() {
    if (on_) builder_.replay_since(before_);
    on_ = false;
  }

 private:
  Builder& builder_;
  const training::Recipe& recipe_;
  bool on_ = false;
  Builder::Issued before_;
};

}  // namespace echo::workload
