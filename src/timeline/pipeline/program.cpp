// Problem. Running a pipeline task by task asks before each of them whether its input is there, which leg it
// is, and whether it is the leg's first or last one. None of the answers depends on a time.
//
// Idea. Ask once per shape. Stages are visited in turn, and each may run one task per visit: neighbours in
// the program are then tasks of different stages, which do not wait for each other, so that a processor
// works on several at once. The steady stretch of every stage is cut where it begins, after its first repeat
// and after its last (the contract of SteadyStretch), so that the same moves serve all repeats.
#include "timeline/pipeline/program.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/counter_rng.hpp"
#include "base/csr.hpp"
#include "timeline/pipeline/stage.hpp"

namespace echo::timeline {
namespace {

constexpr std::int32_t fewest_repeats = 2;  // one to compare with the cut before it, one to skip

// The positions [from, to) of all stages' orders.
struct Positions {
  std::vector<std::int32_t> from, to;  // [stages]

  void add(std::int32_t first, std::int32_t end) { from.push_back(first), to.push_back(end); }
};

class Lister {
 public:
  Lister(const Schedule& schedule, const PipelineShape& shape)
      : schedule_(schedule), shape_(shape), route_(shape), row_(3 * shape.chunks) {
    done_.assign(at(row_), 0);
  }

  Program list() {
    Program program;
    program.row = row_, program.splits_backward = schedule_.splits_backward;
    Positions prologue, repeat, rest;
    for (std::int32_t s = 0; s < shape_.stages; ++s) {
      SteadyStretch stretch = schedule_.steady(shape_, s);
      const std::int32_t tasks = tasks_of(s);
      if (stretch.repeats < fewest_repeats) stretch = {.first = tasks};
      program.advance = stretch.advance, program.repeats = stretch.repeats;
      prologue.add(0, stretch.first);
      repeat.add(stretch.first, stretch.first + stretch.length);
      rest.add(stretch.first + stretch.repeats * stretch.length, tasks);
    }
    append(prologue, program.prologue);
    program.ran = done_;
    note_waiting(program.waiting);
    append(repeat, program.repeat);
    if (program.repeats > 0) {
      for (std::int32_t& done : done_) done += (program.repeats - 1) * program.advance;
      append(rest, program.rest);
    }
    find_tail(program);
    return program;
  }

 private:
  [[nodiscard]] std::int32_t tasks_of(std::int32_t stage) const {
    std::int32_t chunks = 0;
    for (const std::int32_t of : shape_.stage_of_chunk) chunks += of == stage ? 1 : 0;
    return (schedule_.splits_backward ? 3 : 2) * microbatches_per_chunk(shape_) * chunks;
  }

  [[nodiscard]] bool has_input(const Task& task, std::int32_t leg) const {
    if (task.kind == TaskKind::backward_weight || leg == 0) return true;
    return done_[at(leg - 1)] > task.microbatch.index();
  }

  void append(const Positions& part, MoveList& out) {
    const std::vector<std::int32_t> done_before = done_;
    Csr<Task> tasks;
    for (std::int32_t s = 0; s < shape_.stages; ++s) {
      if (part.from[at(s)] < part.to[at(s)])
        schedule_.slice(shape_, s, part.from[at(s)], part.to[at(s)], tasks.value);
      tasks.close_row();
    }
    std::vector<std::int32_t> cursor(at(shape_.stages), 0);
    for (std::size_t left = tasks.value.size(); left > 0;) {
      const std::size_t before = left;
      for (std::int32_t s = 0; s < shape_.stages; ++s) {
        const auto list = tasks.row(s);
        if (at(cursor[at(s)]) == list.size()) continue;
        const Task& task = list[at(cursor[at(s)])];
        const std::int32_t leg = route_.leg_of(task);
        if (!has_input(task, leg)) continue;
        ECHO_EXPECT(done_[at(leg)] == task.microbatch.index());  // tasks of a leg run in order
        ++cursor[at(s)], --left;
        out.moves.push_back(move_of(task, leg, s));
        ++done_[at(leg)];
      }
      ECHO_EXPECT(left < before);  // the order is free of deadlock, and the stages can run repeat by repeat
    }
    link(done_before, out);
  }

  // Notes which task each task follows. done_before: tasks of each leg before the list.
  void link(const std::vector<std::int32_t>& done_before, MoveList& out) const {
    out.first.assign(at(row_), 0);
    for (std::int32_t leg = 1; leg < row_; ++leg)
      out.first[at(leg)] = out.first[at(leg - 1)] + done_[at(leg - 1)] - done_before[at(leg - 1)];
    out.before.resize(out.moves.size());
    out.last.assign(at(shape_.stages), -1);
    for (const Move& move : out.moves) {
      std::int32_t& last = out.last[at(move.stage)];
      const std::int32_t microbatch = move.at / row_;
      out.before[at(out.first[at(move.leg)] + microbatch - done_before[at(move.leg)])] = last;
      last = move.at;
    }
  }

  [[nodiscard]] Move move_of(const Task& task, std::int32_t leg, std::int32_t stage) const {
    const bool is_weight = task.kind == TaskKind::backward_weight;
    const bool is_forward = task.kind == TaskKind::forward;
    const bool ends = schedule_.splits_backward ? is_weight : task.kind == TaskKind::backward;
    const std::int32_t done = done_[at(leg)];
    const bool special = is_forward ? done == 0 : ends && done == shape_.microbatches - 1;
    const Lasts lasts = special                                 ? Lasts::special
                        : task.kind == TaskKind::backward_input ? Lasts::split
                                                                : Lasts::usual;
    return {.at = task.microbatch.index() * row_ + leg,
            .leg = leg,
            .slot = 3 * leg + static_cast<std::int32_t>(lasts),
            .stage = static_cast<std::int16_t>(stage),
            .lasts = lasts,
            .reads = !is_weight && leg != 0,
            .is_forward = is_forward};
  }

  // Contract: all tasks are done.
  void find_tail(Program& program) const {
    const std::vector<Move>& moves = program.last_list().moves;
    const auto ends = [](const Move& move) { return move.lasts == Lasts::special && !move.is_forward; };
    const auto first = std::ranges::find_if(moves, ends);
    program.tail_from = static_cast<std::size_t>(first - moves.begin());
    program.before_tail = done_;
    for (auto move = first; move != moves.end(); ++move) --program.before_tail[at(move->leg)];
  }

  void note_waiting(std::vector<Waiting>& out) const {
    for (std::int32_t leg = 1; leg < 2 * shape_.chunks; ++leg)
      for (std::int32_t i = done_[at(leg)]; i < done_[at(leg - 1)]; ++i)
        out.push_back({i * row_ + leg, shape_.stage_of_chunk[at(route_.chunk_of(leg))]});
  }

  const Schedule& schedule_;
  const PipelineShape& shape_;
  const Route route_;
  const std::int32_t row_;
  std::vector<std::int32_t> done_;  // [row] tasks of each leg so far
};

}  // namespace

bool has_program(const Schedule& schedule, const PipelineShape& shape) {
  const bool has_pairs =
      schedule.pairs == Pairs::always || (schedule.pairs == Pairs::on_demand && shape.pairs);
  return schedule.slice != nullptr && schedule.steady != nullptr && shape.given == nullptr &&
         schedule.copies == 1 && !has_pairs && !schedule.mixes_backwards &&
         shape.stages <= std::numeric_limits<std::int16_t>::max();
}

static std::array<std::int32_t, 4> numbers_of(const PipelineShape& shape) {
  return {shape.stages, shape.chunks, shape.microbatches, shape.microbatch_group};
}

static std::uint64_t hash_of(const PipelineShape& shape) {
  std::uint64_t hash = 0;
  for (const std::int32_t number : numbers_of(shape)) hash = mix(hash ^ static_cast<std::uint64_t>(number));
  return hash;
}

bool ProgramMemo::is(const Key& key, const Schedule& schedule, const PipelineShape& shape) {
  return key.slice == schedule.slice && key.steady == schedule.steady &&
         key.splits_backward == schedule.splits_backward && key.numbers == numbers_of(shape) &&
         std::ranges::equal(key.stage_of_chunk, shape.stage_of_chunk);
}

const Program& ProgramMemo::of(const Schedule& schedule, const PipelineShape& shape) {
  ECHO_EXPECT(has_program(schedule, shape));
  const std::uint64_t hash = hash_of(shape);
  for (auto [kept, end] = kept_.equal_range(hash); kept != end; ++kept)
    if (is(kept->second.first, schedule, shape)) return kept->second.second;
  Program program = Lister(schedule, shape).list();
  program.number = listed_++;
  const std::size_t moves =
      program.prologue.moves.size() + program.repeat.moves.size() + program.rest.moves.size();
  if (moves_ + moves > most_moves) kept_.clear(), moves_ = 0;
  moves_ += moves;
  Key key{schedule.slice,
          schedule.steady,
          schedule.splits_backward,
          numbers_of(shape),
          {shape.stage_of_chunk.begin(), shape.stage_of_chunk.end()}};
  return kept_.emplace(hash, std::pair(std::move(key), std::move(program)))->second.second;
}

}  // namespace echo::timeline
