// The order in which the tasks of a pipeline can run, all stages together, with everything looked up that
// depends on the shape alone. Listed once per shape: the points of a sweep share few shapes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "timeline/schedule.hpp"

namespace echo::timeline {

// Which of its leg's durations a task has: the usual one, that of the leg's first forward or last backward,
// or that of a backward without its weight gradients.
enum class Lasts : std::uint8_t { usual, special, split };

// One task. Legs are explained in stage.hpp; 3 * chunks of them make a row.
struct Move {
  std::int32_t at = 0;  // microbatch * row + leg: the place of its input; that of its output is the next
  std::int32_t leg = 0;
  std::int32_t slot = 0;  // of its duration: 3 * leg + lasts
  std::int16_t stage = 0;
  Lasts lasts = Lasts::usual;
  bool reads : 4 = false;  // has a previous leg
  bool is_forward : 4 = false;
};
static_assert(sizeof(Move) == 16);

// A place whose input has arrived but is not read yet, and the stage that reads it.
struct Waiting {
  std::int32_t at = 0, stage = 0;
};

// Tasks that run one after the other, and what each of them follows on its stage.
struct MoveList {
  std::vector<Move> moves;
  std::vector<std::int32_t>
      before;  // [moves], by leg and microbatch: Move::at of the stage's task before it; -1: none
  std::vector<std::int32_t> first;  // [row] where the tasks of a leg begin in `before`
  std::vector<std::int32_t> last;   // [stages] Move::at of the stage's last task; -1: none
};

// `prologue`, then `repeats` times `repeat`, each `advance` microbatches after the one before, then `rest`.
// Microbatches of `rest` are numbered as if all repeats had run. The `tail` is what comes from the first last
// backward on: what is before it, the body, depends neither on last backwards nor on gradient traffic.
struct Program {
  std::int64_t number = -1;  // no other program of its memo has or had it
  std::int32_t row = 0, advance = 0, repeats = 0;
  bool splits_backward = false;
  MoveList prologue, repeat, rest;
  std::size_t tail_from = 0;              // in the last list that has moves
  std::vector<std::int32_t> before_tail;  // [row] tasks of each leg
  std::vector<Waiting> waiting;   // after the prologue; after each repeat `advance` microbatches later
  std::vector<std::int32_t> ran;  // [row] tasks of each leg in the prologue

  [[nodiscard]] const MoveList& last_list() const { return repeats == 0 ? prologue : rest; }
};

// Whether programs say what the schedule does with the shape: an order in closed form that repeats, one copy
// of the model, no pairs, no choice between whole and split backwards.
[[nodiscard]] bool has_program(const Schedule&, const PipelineShape&);

class ProgramMemo {
 public:
  // Contract: has_program; the schedule admits the shape. Valid until the next call. The result does not
  // depend on earlier calls. Throws ContractViolation if the order deadlocks.
  [[nodiscard]] const Program& of(const Schedule&, const PipelineShape&);

 private:
  // Everything that tells a program from others.
  struct Key {
    decltype(Schedule::slice) slice = nullptr;
    decltype(Schedule::steady) steady = nullptr;
    bool splits_backward = false;
    std::array<std::int32_t, 4> numbers{};
    std::vector<std::int32_t> stage_of_chunk;
  };
  [[nodiscard]] static bool is(const Key&, const Schedule&, const PipelineShape&);

  static constexpr std::size_t most_moves = std::size_t{1} << 17;  // 2.5 MiB
  std::multimap<std::uint64_t, std::pair<Key, Program>> kept_;
  std::size_t moves_ = 0;    // in kept_
  std::int64_t listed_ = 0;  // so far
};

}  // namespace echo::timeline
