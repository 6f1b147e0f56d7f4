// Idea. The slots fix the order of a stage's forwards and input gradients. The order is then executed with
// tasks of one slot each: a stage runs the next one as soon as its input is there, which removes idle slots
// of warm-up and drain, and the oldest weight gradient where it would otherwise wait or where its memory is
// full.
//
// Causal and free of deadlock: the execution reaches its end. The task of the earliest slot among those
// not yet run has its input, and memory: by the slots a stage holds no more than the limit, and what it
// has run in addition are weight gradients. The execution does not depend on task times, and soon repeats
// the same round: once all stages have run exactly one microbatch more than a round before, every later
// round is identical, until the last microbatch has entered. So the order is constructed for a few
// microbatches and that round repeated.
//
// Source: Qi et al., "Pipeline Parallelism with Controllable Memory", NeurIPS 2024, arXiv 2405.15362,
// sections 2 and 3 (repeating a building block, squeezing, reordering). Neglected: the authors reorder by
// rules of their own, with the same memory.
#include "timeline/patterns/building_block.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::timeline {
namespace {

constexpr std::int32_t slots_of_round = 6;

// Maximum number of microbatches to construct: those that have entered before the first has left, and some
// more until the rounds repeat.
std::int32_t most_laid_out(std::int32_t stages, const BuildingBlock& block) {
  return block.slots(stages, 0)[3] / slots_of_round + stages + 4;
}

// The state of one stage during the execution.
struct Player {
  Slots slots;
  std::array<std::int32_t, 4> leg;     // as in stage.hpp: its input is the output of the leg before
  std::array<std::int32_t, 4> done{};  // microbatches
  std::int32_t held = 0, most = 0;
  std::vector<Task> tasks, input_gradients;
  std::size_t weight_gradients = 0;
};

class Play {
 public:
  Play(std::int32_t stages, std::int32_t microbatches, const BuildingBlock& block)
      : stages_(stages), microbatches_(microbatches), limit_(block.limit(stages)), done_(4 * at(stages)) {
    players.resize(at(stages));
    for (std::int32_t s = 0; s < stages; ++s) {
      players[at(s)].slots = block.slots(stages, s);
      players[at(s)].leg = {s, 2 * stages - 1 - s, 2 * stages + s, 4 * stages - 1 - s};
    }
    for (std::int32_t left = 6 * stages * microbatches; left > 0;) {
      for (Player& p : players) left -= act(p) ? 1 : 0;
      for (const Player& p : players)  // outputs are there from the next slot on
        for (std::size_t way = 0; way < 4; ++way) done_[at(p.leg[way])] = p.done[way];
      if (first.empty()) look_for_full_round();
    }
  }

  std::vector<Player> players;
  std::vector<std::int32_t> first;  // [stages] tasks before the first of the rounds that are alike

 private:
  bool act(Player& p) {
    std::size_t next = 4;
    std::int32_t due = 0;
    for (std::size_t way = 0; way < 4; ++way) {
      const std::int32_t slot = p.slots[way] + slots_of_round * p.done[way];
      if (p.done[way] < microbatches_ && (next == 4 || slot < due)) next = way, due = slot;
    }
    const bool ready = next < 4 && (p.leg[next] == 0 || done_[at(p.leg[next] - 1)] > p.done[next]);
    const bool room = next >= 2 || p.held < limit_;
    if (!ready || !room) return run_weight_gradient(p);
    run(p, next);
    return true;
  }

  void run(Player& p, std::size_t way) {
    const std::int32_t leg = p.leg[way], chunks = 2 * stages_;
    const bool is_forward = way < 2;
    const Task task = task_of(is_forward ? TaskKind::forward : TaskKind::backward_input,
                              is_forward ? leg : 2 * chunks - 1 - leg, p.done[way]++);
    if (is_forward) p.most = std::max(p.most, ++p.held);
    if (!is_forward) p.input_gradients.push_back(task);
    p.tasks.push_back(task);
  }

  static bool run_weight_gradient(Player& p) {
    if (p.weight_gradients == p.input_gradients.size()) return false;
    Task task = p.input_gradients[p.weight_gradients++];
    task.kind = TaskKind::backward_weight;
    p.tasks.push_back(task);
    --p.held;
    return true;
  }

  // Whether every leg of every stage has run one more task than a round ago, and every stage six tasks; no
  // leg may have been at its first microbatch then, nor be at its last now.
  void look_for_full_round() {
    std::vector<std::int32_t> now = done_;
    for (const Player& p : players) now.push_back(static_cast<std::int32_t>(p.tasks.size()));
    if (history_.size() == slots_of_round) {
      const std::vector<std::int32_t>& then = history_.front();
      bool alike = then.at(4 * at(stages_) - 1) > 0 && now.front() + 1 < microbatches_;
      for (std::size_t i = 0; alike && i < now.size(); ++i)
        alike = now[i] - then[i] == (i < done_.size() ? 1 : slots_of_round);
      if (alike) first.assign(then.begin() + static_cast<std::ptrdiff_t>(done_.size()), then.end());
      history_.erase(history_.begin());
    }
    history_.push_back(std::move(now));
  }

  const std::int32_t stages_, microbatches_, limit_;
  std::vector<std::int32_t> done_;                  // [4 * stages] by leg, when the slot began
  std::vector<std::vector<std::int32_t>> history_;  // of a round: done of every leg, tasks of every stage
};

// The constructed part of an order; kept from call to call, because a pipeline's stages ask for it in turn.
struct Layout {
  Slots (*slots)(std::int32_t, std::int32_t) = nullptr;
  std::int32_t stages = 0, microbatches = 0;
  Csr<Task> tasks;
  std::vector<std::int32_t> first, held;  // [stages] position of the first full round, if any; high-water
};

const Layout& layout_of(const PipelineShape& shape, const BuildingBlock& block) {
  static thread_local std::vector<Layout> kept;
  const std::int32_t microbatches = std::min(shape.microbatches, most_laid_out(shape.stages, block));
  const auto same = [&](const Layout& l) {
    return l.slots == block.slots && l.stages == shape.stages && l.microbatches == microbatches;
  };
  const auto found = std::find_if(kept.begin(), kept.end(), same);
  if (found != kept.end()) return *found;
  constexpr std::size_t most_kept = 16;
  if (kept.size() == most_kept) kept.erase(kept.begin());
  Play play(shape.stages, microbatches, block);
  ECHO_ENSURE(microbatches == shape.microbatches || !play.first.empty());  // it settles soon
  Layout& layout = kept.emplace_back();
  layout.slots = block.slots, layout.stages = shape.stages, layout.microbatches = microbatches;
  for (const Player& player : play.players) {
    layout.tasks.value.insert(layout.tasks.value.end(), player.tasks.begin(), player.tasks.end());
    layout.tasks.close_row();
    layout.held.push_back(player.most);
  }
  layout.first = std::move(play.first);
  return layout;
}

}  // namespace

SteadyStretch steady_blocks(const PipelineShape& shape, std::int32_t stage, const BuildingBlock& block) {
  const Layout& layout = layout_of(shape, block);
  if (layout.first.empty()) return {};
  return {.first = layout.first[at(stage)],
          .length = slots_of_round,
          .advance = 1,
          .repeats = 1 + shape.microbatches - layout.microbatches};
}

void append_blocks(const PipelineShape& shape, std::int32_t stage, const BuildingBlock& block,
                   std::int32_t from, std::int32_t to, std::vector<Task>& out) {
  const Layout& layout = layout_of(shape, block);
  const auto row = layout.tasks.row(stage);
  const SteadyStretch stretch = steady_blocks(shape, stage, block);
  const std::int32_t extra = shape.microbatches - layout.microbatches;
  for (std::int32_t i = from; i < to; ++i) {
    // The rounds that are not constructed follow the first full one.
    const std::int32_t beyond = i - stretch.first - stretch.length;
    const std::int32_t rounds = extra == 0 || beyond < 0 ? 0 : std::min(beyond / slots_of_round + 1, extra);
    Task task = row[at(i - rounds * slots_of_round)];
    task.microbatch += rounds;
    out.push_back(task);
  }
}

std::int32_t held_by_blocks(const PipelineShape& shape, std::int32_t stage, const BuildingBlock& block) {
  return layout_of(shape, block).held[at(stage)];
}

}  // namespace echo::timeline
