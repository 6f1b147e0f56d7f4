#include "explain/beside/simulated_activities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "ops/describe.hpp"
#include "simulate/simulate.hpp"
#include "simulate/unfold/step_timeline.hpp"

namespace echo::explain {

namespace {

using simulate::Slice;
using simulate::SliceKind;

class Collector {
 public:
  Collector(const simulate::StepTimeline& timeline, const simulate::SimulatedStep& step)
      : timeline_(timeline), step_(step) {}

  SimulatedStretch pair(std::int32_t stages) {
    const Slice* chosen = nullptr;
    std::vector<const Slice*> pairs;
    for (const Slice& slice : timeline_.slices)
      if (slice.is_pair && slice.stage == stages / 2) pairs.push_back(&slice);
    if (!pairs.empty()) chosen = pairs[pairs.size() / 2];
    if (chosen == nullptr || step_.work.pairs.rows() == 0)
      throw UserError("the step has no forward and backward that run as one",
                      "schedule = \"dualpipe\" (or 1f1b) with overlap_ep = true, or --part step", 2);
    start_ = chosen->start;
    task(*chosen);
    out_.extent = chosen->end - chosen->start;
    out_.what = fmt::format("stage {}: forward of chunk {} with backward of chunk {}", chosen->stage,
                            chosen->task.chunk.index(), chosen->partner.chunk.index());
    return std::move(out_);
  }

  SimulatedStretch step(std::int32_t stage) {
    for (const Slice& slice : timeline_.slices) {
      if (slice.stage != stage) continue;
      if (slice.kind == SliceKind::task)
        task(slice);
      else
        other(slice);
    }
    out_.extent = timeline_.report.step;
    out_.what = fmt::format("the step of stage {}", stage);
    return std::move(out_);
  }

 private:
  void task(const Slice& slice) {
    SimTime now = slice.start - start_;
    for (const workload::BlockRun& run : simulate::placed_runs(slice, step_)) {
      const std::size_t block = at(run.block);
      for (std::int32_t i = 0; i < run.count; ++i) {
        for (const simulate::PlacedOp& op : timeline_.blocks[block]) add(op, now);
        now += step_.composed.times[block].makespan;
      }
    }
  }

  void add(const simulate::PlacedOp& op, SimTime from) {
    const std::int32_t kernels = length_of(step_.work.kernels);
    Activity one{.start = from + op.start, .end = from + op.end, .issued = from + op.start};
    one.lane = static_cast<std::int32_t>(op.lane);
    one.alone = step_.prices.alone[at(op.work)];
    one.backward = op.part == TimeCategory::backward || op.part == TimeCategory::recompute;
    if (is_kernel(op.work, kernels)) {
      const ops::KernelKey& key = step_.work.kernels[at(kernel_of(op.work))];
      one.role = role_of(key), one.name = ops::describe(key);
    } else {
      const ops::CollectiveQuery& query = step_.work.collectives[at(collective_of(op.work, kernels))];
      one.role = role_of(query.kind), one.name = ops::describe(query);
    }
    out_.activities.push_back(std::move(one));
  }

  // What a stage does between and after its tasks, as one activity each.
  void other(const Slice& slice) {
    Activity one{.start = slice.start - start_, .end = slice.end - start_, .issued = slice.start - start_};
    one.alone = one.length();
    one.backward = true;
    switch (slice.kind) {
      case SliceKind::transfer:
        one.role = KernelRole::send_recv, one.name = "transfer between stages";
        break;
      case SliceKind::gradients:
        one.role = KernelRole::other_communication, one.name = "reduction of gradients";
        break;
      case SliceKind::norm:
        one.role = KernelRole::optimizer, one.name = "gradient norm";
        break;
      case SliceKind::optimizer:
        one.role = KernelRole::optimizer, one.name = "optimizer";
        break;
      default:
        return;  // nothing runs
    }
    if (one.length() > SimTime::zero()) out_.activities.push_back(std::move(one));
  }

  const simulate::StepTimeline& timeline_;
  const simulate::SimulatedStep& step_;
  SimTime start_{};
  SimulatedStretch out_;
};

}  // namespace

SimulatedStretch simulated_stretch(const training::TrainingConfig& config, const simulate::Catalog& catalog,
                                   const simulate::Calibration& calibration, Stretch stretch) {
  simulate::Workspace workspace;
  // What was recorded did run, whatever an estimate of its memory says.
  simulate::Catalog roomy = catalog;
  for (machine::GpuSpec& gpu : roomy.gpus) gpu.memory = Bytes(std::int64_t{1} << 50);
  const simulate::StepTimeline timeline = simulate::unfold_step(config, roomy, calibration, workspace);
  if (timeline.slices.empty()) {
    const Refusal refusal = simulate::why_unsupported(config, roomy);
    throw UserError(
        fmt::format("the step cannot run: {}",
                    refusal ? refusal.text : "it is beyond the budget of work, or no step of a model"),
        "echo-sweep run and show say more; choose other degrees with --set", 3);
  }
  Collector collector(timeline, workspace.step);
  return stretch == Stretch::pair ? collector.pair(config.degrees.pipeline)
                                  : collector.step(timeline.report.critical_stage);
}

}  // namespace echo::explain
