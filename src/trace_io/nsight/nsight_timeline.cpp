// The report describes calls as a profile of torch.profiler does, so it is converted to the same form and
// read in the same way. It does not contain shapes (ops keep their times), nor sizes and groups of NCCL's
// kernels.
#include "trace_io/nsight/nsight_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/at.hpp"
#include "nsight/timeline.hpp"
#include "trace_io/kineto/kineto_graph.hpp"

namespace echo::trace_io {

namespace {

using nsight::TimelineActivity;

KinetoCategory category_of(TimelineActivity::Kind kind) {
  switch (kind) {
    case TimelineActivity::Kind::kernel:
      return KinetoCategory::kernel;
    case TimelineActivity::Kind::memcpy:
      return KinetoCategory::memcpy;
    case TimelineActivity::Kind::memset:
      return KinetoCategory::memset;
  }
  return KinetoCategory::other;
}

using Gpu = std::pair<std::int64_t, std::int64_t>;  // process, device

KinetoStep step_of(const nsight::Timeline& timeline, const Gpu& gpu) {
  KinetoStep step;
  step.start = timeline.start;
  step.names = timeline.names;
  for (const TimelineActivity& one : timeline.activities) {
    if (Gpu{one.process, one.device} != gpu) continue;
    GpuEvent event{category_of(one.kind), one.name, one.start, one.end - one.start, one.stream};
    event.correlation = one.correlation, event.bytes = one.bytes;
    step.events.push_back(event);
  }
  for (const nsight::TimelineCall& one : timeline.calls) {
    const auto kind = call_kind(timeline.names[at(one.name)]);
    if (one.process == gpu.first && kind)
      step.calls.push_back({*kind, one.name, one.start, one.end, one.thread, one.correlation});
  }
  for (const nsight::TimelineRange& one : timeline.ranges)
    if (one.process == gpu.first) step.ops.push_back({one.name, true, one.start, one.end, one.thread});
  for (const nsight::TimelineWait& one : timeline.waits)
    if (one.process == gpu.first)
      step.synchronisations[one.correlation] = {one.stream, one.for_stream, one.for_record};
  sort_step(step);
  return step;
}

}  // namespace

trace::Trace read_nsight(const Source& source) {
  const nsight::Timeline timeline = nsight::read_timeline(source.path, source.step);
  std::map<Gpu, std::int32_t> gpus;
  for (const TimelineActivity& one : timeline.activities) gpus.try_emplace({one.process, one.device}, 0);
  trace::Trace out;
  out.gpu = timeline.gpu;
  out.world = static_cast<std::int32_t>(gpus.size());
  TraceTables tables(out);
  GraphDoubts doubts;
  for (const auto& [gpu, unused] : gpus) {
    const auto rank = static_cast<std::int32_t>(out.ranks.size());
    CommGroups groups(tables, rank, out.world);
    KinetoStep step = step_of(timeline, gpu);
    out.ranks.push_back(rank_of_step(step, rank, tables, groups, doubts));
  }
  out.notes.push_back(timeline.label.empty()
                          ? "no NVTX range marks steps: all of the report counts as one step"
                          : "step " + timeline.label);
  if (gpus.size() > 1)
    out.notes.push_back(fmt::format("the {} GPUs of the report are numbered as ranks in order", gpus.size()));
  add_notes(doubts, out);
  return out;
}

}  // namespace echo::trace_io
