// The critical path of a pipeline, read backwards from what each task waited for.
//
// Idea. A task starts when the last thing it waited for ended, so from any end a chain of tasks and
// transfers without a gap leads back to the start of the step (or to an instant within it: weights that
// arrive). Its lengths sum to that end. If one cause per task is recorded while the pipeline runs, the chain
// is found by a walk.
//
// A steady state that was skipped (repeat.cpp) has no records of its own and needs none. The cause of a task
// is decided by comparisons of times that can still be read, and those repeat with the cycle, all shifted
// equally; so a task of the skipped stretch waited for the same thing as the one whole cycles before it that
// did run. A step of the walk is a recorded task and a `lift`: the number of microbatches by which the
// actual task is later. Where the walk leaves the last cycle that ran, it resumes at the same task one cycle
// later, lifted by one cycle less: the same task of the same microbatch.
//
// Those crossings repeat too: when one is met a second time, the counts between the two are what every
// further round adds, and the remaining rounds are skipped by one multiplication. Rounds are found as cycles
// are in repeat.cpp. So the cost of the walk does not grow with microbatches either; a test compares it with
// the walk over the pipeline run in full.
//
// What a task of a program's body waited for is in the body. So the walk from there on is the same for all
// runs that share it, and is made once for each task at which one comes in.
#include "timeline/pipeline/trail.hpp"

#include "base/at.hpp"
#include "base/contract.hpp"
#include "timeline/pipeline/pipeline.hpp"
#include "timeline/pipeline/program_steps.hpp"

namespace echo::timeline {

void Trail::start_program(const PipelineShape& shape) {
  legs = 3 * shape.chunks;
  data_last.assign(at(shape.stages), ChunkId::none());
  data_before.assign(at(shape.chunks), ChunkId::none());
  gathered.assign(at(shape.chunks), 0);
  data_end.assign(at(shape.chunks), DataEnd::none);
  final.assign(at(shape.chunks), -1);
  ran.assign(at(legs), 0);
  skipped = cycle = 0;
  has_pairs = false;
  of_program = true;
}

void Trail::start(const PipelineShape& shape) {
  start_program(shape);
  of_program = false;
  const std::size_t most = at(legs) * at(microbatches_per_chunk(shape));
  if (steps.size() < most) steps.resize(most);
  last.assign(at(shape.stages), -1);
  sent.assign(at(shape.stages), {-1, -1});
}

void Trail::note_special(std::int32_t stage, ChunkId chunk, std::int32_t place, const Cause& cause) {
  if (cause.gathered) note_gathered(chunk);
  note_data(stage, chunk, place, cause.data);
}

void Trail::note_data(std::int32_t stage, ChunkId chunk, std::int32_t place, DataEnd cause) {
  if (cause == DataEnd::none) return;
  final[at(chunk)] = place;
  data_end[at(chunk)] = cause;
  data_before[at(chunk)] = data_last[at(stage)];
  data_last[at(stage)] = chunk;
}

namespace {

// The steps that a plain run noted, as ProgramSteps gives those of a program.
class NotedSteps {
 public:
  explicit NotedSteps(const Trail& trail) : trail_(trail) {}

  [[nodiscard]] std::int32_t last_of(std::int32_t stage) const { return trail_.last[at(stage)]; }
  [[nodiscard]] Waited waited(const TaskPlace& task) const {
    const Step& step = trail_.steps[at(task.at)];
    const Cause& cause = step.cause;
    return {.before = step.before,
            .partner = trail_.has_pairs ? step.partner : -1,
            .began = cause.began,
            .sent = cause.sent,
            .received = cause.received,
            .partner_received = cause.partner_received,
            .special = cause.special,
            .split = cause.split,
            .gathered = cause.gathered,
            .is_second = trail_.has_pairs && step.is_second};
  }
  [[nodiscard]] Flight flight(const TaskPlace& task) const {
    const Step& step = trail_.steps[at(task.at)];
    return {step.cause.flies, step.cause.queued, step.link_before};
  }
  [[nodiscard]] static bool is_in_body(const TaskPlace&) { return false; }

 private:
  const Trail& trail_;
};

template <class Steps>
class Walk {
 public:
  // walks: where those are that other runs with this body made, and new ones are kept.
  Walk(const PipelineShape& shape, const Trail& trail, const Steps& steps, PipelinePath& out,
       ProgramRun* walks)
      : trail_(trail),
        steps_(steps),
        route_(shape),
        by_legs_(trail.legs),
        out_(out),
        walks_(walks),
        lift_(trail.skipped) {}

  // Walks from the end of a stage's gradient traffic.
  void from_data(ChunkId chunk) {
    for (;;) {
      DataCounts& data = out_.data[at(chunk)];
      stand_at(place_of(trail_.final[at(chunk)]));
      const DataEnd cause = trail_.data_end[at(chunk)];
      if (cause == DataEnd::after_end) {
        ++data.lag;
        return from_end();
      }
      ++data.busy;
      if (cause == DataEnd::after_start) {
        ++data.first_start;
        return from_start();
      }
      chunk = trail_.data_before[at(chunk)];
    }
  }

  // Walks from the end of a stage's last task, or of the blocking transfers after it.
  void from_compute(std::int32_t stage, bool sent) {
    stand_at(place_of(steps_.last_of(stage)));
    if (sent) count_sends();
    from_end();
  }

 private:
  enum class Reached : std::int8_t { end, handed_on };
  static constexpr std::size_t most_walks = 8;  // some 10 KiB each

  [[nodiscard]] TaskPlace place_of(std::int32_t at) const {
    const std::int32_t microbatch = by_legs_.quotient(at);
    return {at, microbatch, at - microbatch * trail_.legs};
  }
  void stand_at(const TaskPlace& place) {
    place_ = place;
    now_ = steps_.waited(place);
  }
  [[nodiscard]] std::int32_t leg() const { return place_.leg; }
  [[nodiscard]] LegCounts& counts() { return out_.legs[at(leg())]; }

  void from_end() {
    if (ends()) from_start();
  }

  void from_start() {
    while (!knows_rest() && goes_back() && ends()) {
    }
    if (is_noting_) keep_noted();
  }

  // Adds the rest of the walk where it has come to a task of the body from which one was made before.
  // Otherwise, from the first such task on, counts apart.
  bool knows_rest() {
    if (is_in_body_ || !steps_.is_in_body(place_)) return false;
    is_in_body_ = true;
    if (folds_ > 0) return false;  // it depends on more than the task
    for (std::size_t i = 0; i < walks_->walks_known; ++i) {
      const BodyWalk& known = walks_->walks[i];
      if (known.from != place_.at) continue;
      add(known.legs, out_.legs);
      if (!known.gathered.is_none()) out_.gathered = known.gathered;
      return true;
    }
    if (walks_->walks_known == most_walks) return false;
    if (walks_->walks_known == walks_->walks.size()) walks_->walks.emplace_back();
    BodyWalk& own = walks_->walks[walks_->walks_known];
    own.from = place_.at;
    own.legs.assign(out_.legs.size(), LegCounts{});
    std::swap(own.legs, out_.legs);  // what was counted so far, until it ends
    is_noting_ = true;
    return false;
  }

  void keep_noted() {
    BodyWalk& own = walks_->walks[walks_->walks_known++];
    std::swap(own.legs, out_.legs);
    own.gathered = out_.gathered;
    add(own.legs, out_.legs);
  }

  static void add(const std::vector<LegCounts>& more, std::vector<LegCounts>& sum) {
    for (std::size_t leg = 0; leg < sum.size(); ++leg) {
      sum[leg].usual += more[leg].usual;
      sum[leg].special += more[leg].special;
      sum[leg].split += more[leg].split;
      sum[leg].transfers += more[leg].transfers;
    }
  }

  // Counts the task itself; false where its end only waited for weights.
  bool ends() {
    if (now_.is_second) stand_at(place_of(now_.partner));
    if (now_.partner >= 0) {
      const ChunkId other = route_.chunk_of(now_.partner % trail_.legs);
      ++out_.pairs[route_.pair_of(route_.chunk_of(leg()), other)];
      return true;
    }
    if (now_.gathered) {
      out_.gathered = route_.chunk_of(leg());
      return false;
    }
    ++(now_.special ? counts().special : now_.split ? counts().split : counts().usual);
    return true;
  }

  // Moves from the start of a task (of a pair, by its forward) to the end of the one it waited for; false at
  // the start of the step.
  bool goes_back() {
    if (now_.received) ++out_.legs[at(leg() - 1)].transfers;
    if (now_.partner_received) ++out_.legs[at(now_.partner % trail_.legs - 1)].transfers;
    if (now_.began != Began::own) {
      go_to((now_.began == Began::arrival ? place_.at : now_.partner) - 1, Reached::handed_on);
      hand_back();
      return true;
    }
    if (now_.before < 0) return false;
    const bool sent = now_.sent;
    go_to(now_.before, Reached::end);
    if (sent) count_sends();
    return true;
  }

  // Moves from the time when the next leg may take this leg's output to the end of the task.
  void hand_back() {
    if (now_.is_second && now_.sent) ++out_.legs[at(now_.partner % trail_.legs)].transfers;
    Flight flight = steps_.flight(place_);
    if (flight.flies) ++counts().transfers;
    while (flight.flies && flight.queued) {
      go_to(flight.before, Reached::handed_on);
      flight = steps_.flight(place_);
      ++counts().transfers;
    }
  }

  // Blocking transfers after a task; a leg without one counts a transfer of zero length.
  void count_sends() {
    ++counts().transfers;
    if (now_.partner >= 0) ++out_.legs[at(now_.partner % trail_.legs)].transfers;
  }

  void go_to(std::int32_t at, Reached reached) {
    TaskPlace place = place_of(at);
    if (lift_ > 0) {
      const std::int32_t older = trail_.ran[echo::at(place.leg)] - trail_.cycle - place.microbatch;
      if (older > 0) fold((older + trail_.cycle - 1) / trail_.cycle, reached, place);
    }
    stand_at(place);
  }

  // Moves the place to where to resume: the same microbatch, as run this many cycles later.
  void fold(std::int32_t cycles, Reached reached, TaskPlace& place) {
    cycles = std::min(cycles, lift_ / trail_.cycle);
    place = place_of(place.at + cycles * trail_.cycle * trail_.legs);
    lift_ -= cycles * trail_.cycle;
    if (jumped_) return;
    if (place.at == saved_place_ && reached == saved_reached_) {
      jump(saved_lift_ - lift_);
    } else if (++folds_ == renew_) {
      saved_place_ = place.at, saved_lift_ = lift_, saved_reached_ = reached;
      out_.saved_legs = out_.legs;
      out_.saved_pairs = out_.pairs;
      renew_ *= 2;
    }
  }

  void jump(std::int32_t round) {
    jumped_ = true;
    const std::int64_t times = lift_ / round;
    lift_ -= static_cast<std::int32_t>(times) * round;
    for (std::size_t leg = 0; leg < out_.legs.size(); ++leg) {
      LegCounts& now = out_.legs[leg];
      const LegCounts& then = out_.saved_legs[leg];
      now.usual += times * (now.usual - then.usual);
      now.special += times * (now.special - then.special);
      now.split += times * (now.split - then.split);
      now.transfers += times * (now.transfers - then.transfers);
    }
    for (std::size_t pair = 0; pair < out_.pairs.size(); ++pair)
      out_.pairs[pair] += times * (out_.pairs[pair] - out_.saved_pairs[pair]);
  }

  const Trail& trail_;
  const Steps& steps_;
  const Route route_;
  const Divisor by_legs_;
  PipelinePath& out_;
  ProgramRun* walks_;
  bool is_in_body_ = false, is_noting_ = false;
  TaskPlace place_;
  Waited now_;  // of the place
  std::int32_t lift_ = 0;
  std::int32_t saved_place_ = -1, saved_lift_ = 0, folds_ = 0, renew_ = 1;
  Reached saved_reached_ = Reached::end;
  bool jumped_ = false;
};

// One stage with one chunk (pipeline.cpp, run_alone): everything it does is on the path.
void path_alone(std::int32_t microbatches, const Trail& trail, bool data_is_last, PipelinePath& out) {
  LegCounts &forward = out.legs[0], &backward = out.legs[1];
  if (trail.gathered[0] != 0) {
    out.gathered = ChunkId(0);
  } else {
    forward.special = 1;
  }
  if (out.pairs.empty()) {
    forward.usual = backward.usual = microbatches - 1;
  } else {
    out.pairs[0] = microbatches - 1;
  }
  backward.special = 1;
  if (!data_is_last) return;
  const bool after_end = trail.data_end[0] == DataEnd::after_end;
  out.data[0] = after_end ? DataCounts{.lag = 1} : DataCounts{.first_start = 1, .busy = 1};
  if (!after_end) backward.special = 0;
}

}  // namespace

void find_path(const PipelineShape& shape, const Schedule& schedule, const Trail& trail,
               PipelineScratch& scratch, const StageTimes& times, std::int32_t stage, PipelinePath& out) {
  out.legs.assign(at(trail.legs), LegCounts{});
  out.data.assign(at(shape.chunks), DataCounts{});
  out.pairs.assign(scratch.pairs.size(), 0);
  out.gathered = ChunkId::none();
  const bool data_is_last = times.data_end > times.compute_end;
  if (shape.chunks == 1 && !schedule.splits_backward)
    return path_alone(shape.microbatches, trail, data_is_last, out);
  ProgramRun& run = scratch.runs[at(scratch.overlapped)];
  const auto walk_over = [&](const auto& steps) {
    Walk walk(shape, trail, steps, out, &run);
    if (data_is_last)
      walk.from_data(trail.data_last[at(stage)]);
    else
      walk.from_compute(stage, scratch.stages[at(stage)].sent > scratch.stages[at(stage)].clock);
  };
  if (trail.of_program)
    walk_over(ProgramSteps(shape, run, trail));
  else
    walk_over(NotedSteps(trail));
}

}  // namespace echo::timeline
