// A layer consists of five stretches: the work up to the departure of the tokens (attention, router,
// sorting), the dispatch, the experts, the combine, and the rest; backwards in the same way: up to the
// departure of the gradients, their dispatch (the combine's backward), the experts, their return (the
// dispatch's backward), and the rest, which is mostly attention. Without experts the two transfers are
// empty. The i-th layer of the forward's chunk is paired with the i-th last of the backward's:
//     computation  forward 1 | backward 3 | forward 3  | backward 5, forward 5
//     transfers    backward 2 | forward 2, backward 4  | forward 4
// Two such layers end together: the next op needs the last computation of one and the last transfer of the
// other. Layers that one chunk has in excess of the other run alone, as do the embedding, the output layer
// and all else that is no layer of the decoder. Source: Megatron-LM
// core/models/common/model_chunk_schedule_plan.py (--overlap-moe-expert-parallel-comm without
// --delay-wgrad-compute) and models/gpt/fine_grained_callables.py. Neglected: sums after the combine run on
// the transfers' stream there, on that of computation here.
#include "workload/layer/pair.hpp"

#include <algorithm>
#include <numeric>

#include "base/contract.hpp"

namespace echo::workload {

namespace {

using training::LayerKindCounts;

constexpr std::size_t stretches = 5;

// Appends stretches of one block to another.
class Strand {
 public:
  Strand(const OpGraph& from, OpGraph& to) : from_(from), to_(to) {
    ECHO_EXPECT(from.cuts.size() == stretches - 1);
    std::copy(from.cuts.begin(), from.cuts.end(), ends_.begin());
    ends_.back() = from.size();
  }
  void append(std::size_t stretch) {
    const std::int32_t begin = stretch == 0 ? 0 : ends_[stretch - 1];
    moved_[stretch] = to_.size() - begin;
    for (std::int32_t op = begin; op < ends_[stretch]; ++op) {
      to_.lane.push_back(from_.lane[at(op)]);
      to_.part.push_back(from_.part[at(op)]);
      to_.work.push_back(from_.work[at(op)]);
      for (const OpId need : from_.needs.row(op))
        to_.needs.push(OpId(need.index() + moved_[stretch_of(need)]));
      to_.needs.close_row();
    }
  }

 private:
  [[nodiscard]] std::size_t stretch_of(OpId op) const {
    return at(std::upper_bound(ends_.begin(), ends_.end(), op.index()) - ends_.begin());
  }
  const OpGraph& from_;
  OpGraph& to_;
  std::array<std::int32_t, stretches> ends_{}, moved_{};
};

BlockId weave(Builder& b, Workload& out, BlockId forward, BlockId backward) {
  const BlockId block = b.open_block();
  const OpGraph &ahead = out.blocks[at(forward)], &back = out.blocks[at(backward)];
  OpGraph& woven = out.blocks[at(block)];
  Strand f(ahead, woven), g(back, woven);
  g.append(0), g.append(1);
  f.append(0);
  g.append(2);
  f.append(1);
  g.append(3);
  f.append(2), f.append(3);
  g.append(4);
  f.append(4);
  woven.launches = ahead.launches + back.launches;
  woven.looped = ahead.looped + back.looped;
  woven.graphs = ahead.graphs + back.graphs;
  woven.transfers = ahead.transfers + back.transfers;
  return block;
}

// Interleaves each pair of layer kinds once.
class Weaver {
 public:
  Weaver(Builder& b, const LayerBlocks& forward, const LayerBlocks& backward, Workload& out)
      : b_(b), forward_(forward), backward_(backward), out_(out) {
    for (LayerBlocks& row : woven_) row.fill(BlockId::none());
  }

  // `layers`: the number of layers of each chunk, and the first of them.
  void add_row(const training::ModelSpec& model, std::int32_t ahead, std::int32_t back,
               const training::RankLayout& layout) {
    const auto layers = [&](std::int32_t chunk) { return layout.chunk_layers[at(chunk)]; };
    const auto kind = [&](std::int32_t chunk, std::int32_t i) {
      return training::layer_kind(model, layout.chunk_first_layer[at(chunk)] + i).index();
    };
    for (auto& row : met_) row.fill(0);
    LayerKindCounts met_ahead{}, met_back{};
    for (std::int32_t i = 0; i < std::min(layers(ahead), layers(back)); ++i) {
      const std::size_t f = kind(ahead, i), g = kind(back, layers(back) - 1 - i);
      ++met_[f][g], ++met_ahead[f], ++met_back[g];
    }
    for (std::size_t f = 0; f < met_.size(); ++f) {
      for (std::size_t g = 0; g < met_.size(); ++g) {
        if (met_[f][g] == 0) continue;
        if (woven_[f][g].is_none()) woven_[f][g] = weave(b_, out_, forward_[f], backward_[g]);
        out_.pairs.push({woven_[f][g], met_[f][g]});
      }
    }
    push_rest(out_.forward.row(ahead), forward_, met_ahead);
    push_rest(out_.backward.row(back), backward_, met_back);
    out_.pairs.close_row();
  }

 private:
  // The part of a pass that has no partner in the other chunk.
  void push_rest(std::span<const BlockRun> runs, const LayerBlocks& of, const LayerKindCounts& met) {
    std::int32_t left = std::accumulate(met.begin(), met.end(), 0);
    for (const BlockRun& run : runs) {
      const auto kind = at(std::find(of.begin(), of.end(), run.block) - of.begin());
      const std::int32_t beside = kind < met.size() ? met[kind] : 0;
      if (run.count > beside) out_.pairs.push({run.block, run.count - beside});
      left -= beside;
    }
    ECHO_ENSURE(left == 0);  // a pass is runs of those blocks
  }

  Builder& b_;
  const LayerBlocks &forward_, &backward_;
  Workload& out_;
  std::array<LayerBlocks, training::layer_kind_count> woven_{};
  std::array<LayerKindCounts, training::layer_kind_count> met_{};
};

}  // namespace

void trace_pairs(Builder& b, const BlockContext& x, const LayerBlocks& forward, const LayerBlocks& backward,
                 Workload& out) {
  const std::vector<std::int32_t>& stage_of = x.layout.stage_of_chunk;
  const auto chunks = static_cast<std::int32_t>(stage_of.size()), stages = x.config.degrees.pipeline;
  Weaver weaver(b, forward, backward, out);
  for (std::int32_t ahead = 0; ahead < chunks; ++ahead) {
    for (std::int32_t back = 0; back < chunks; ++back) {
      if (stage_of[at(ahead)] == stage_of[at(back)]) weaver.add_row(x.model, ahead, back, x.layout);
    }
  }
  ECHO_ENSURE(out.pairs.rows() == chunks * (chunks / stages));
}

}  // namespace echo::workload
