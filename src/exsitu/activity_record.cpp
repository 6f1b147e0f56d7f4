#include "exsitu/activity_record.hpp"

#include <algorithm>
#include <array>

namespace echo::exsitu {

NameTable::Number NameTable::of(std::string_view name) {
  if (name.empty()) return {};
  const auto found = numbers_.find(std::string(name));
  if (found != numbers_.end()) return {found->second, false};
  if (numbers_.size() >= most_) return {};
  const auto number = static_cast<std::uint32_t>(numbers_.size() + 1);
  numbers_.emplace(name, number);
  return {number, true};
}

namespace {

std::int64_t time_of(std::uint64_t t) { return static_cast<std::int64_t>(t); }

// Fields that kernels, copies and fills share.
template <class Activity>
GpuRecord on_stream(What what, const Activity& a) {
  GpuRecord r{.what = what, .correlation = a.correlationId, .start = time_of(a.start), .end = time_of(a.end)};
  r.device = a.deviceId;
  r.stream_id = a.streamId;
  r.graph = a.graphId;
  return r;
}

NamedRecord kernel(const CUpti_ActivityKernel10& k) {
  GpuRecord r = on_stream(What::kernel, k);
  r.amount = std::uint64_t{static_cast<std::uint32_t>(k.gridX)} * static_cast<std::uint32_t>(k.gridY) *
             static_cast<std::uint32_t>(k.gridZ);
  r.threads = static_cast<std::uint32_t>(k.blockX * k.blockY * k.blockZ);
  return {r, k.name == nullptr ? std::string_view() : std::string_view(k.name)};
}

NamedRecord copy(const CUpti_ActivityMemcpy6& c) {
  GpuRecord r = on_stream(What::copy, c);
  r.kind = c.copyKind;
  r.amount = c.bytes;
  return {r, {}};
}

NamedRecord fill(const CUpti_ActivityMemset4& m) {
  GpuRecord r = on_stream(What::fill, m);
  r.amount = m.bytes;
  return {r, {}};
}

NamedRecord call(const CUpti_ActivityAPI& a) {
  return {{.what = What::launch_call,
           .correlation = a.correlationId,
           .start = time_of(a.start),
           .end = time_of(a.end),
           .threads = a.threadId},
          {}};
}

NamedRecord synchronisation(const CUpti_ActivitySynchronization2& s) {
  const bool on_gpu = s.type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT;
  GpuRecord r{.what = on_gpu ? What::stream_waits : What::host_waits, .correlation = s.correlationId};
  r.kind = static_cast<std::uint8_t>(s.type);
  r.start = time_of(s.start);
  r.end = time_of(s.end);
  r.amount = s.cudaEventSyncId;
  r.stream_id = s.streamId;
  r.event = s.cudaEventId;
  return {r, {}};
}

NamedRecord event(const CUpti_ActivityCudaEvent2& e) {
  GpuRecord r{.what = What::event_recorded, .correlation = e.correlationId};
  r.amount = e.cudaEventSyncId;
  r.device = e.deviceId;
  r.stream_id = e.streamId;
  r.event = e.eventId;
  return {r, {}};
}

std::optional<NamedRecord> marker(const CUpti_ActivityMarker2& m) {
  const bool begins = (m.flags & CUPTI_ACTIVITY_FLAG_MARKER_START) != 0;
  if (!begins && (m.flags & CUPTI_ACTIVITY_FLAG_MARKER_END) == 0) return std::nullopt;  // of a moment
  GpuRecord r{.what = begins ? What::marker_begins : What::marker_ends, .correlation = m.id};
  r.start = r.end = time_of(m.timestamp);
  if (m.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD) r.threads = m.objectId.pt.threadId;
  return NamedRecord{r, begins && m.name != nullptr ? std::string_view(m.name) : std::string_view()};
}

NamedRecord overhead(const CUpti_ActivityOverhead3& o) {
  GpuRecord r{.what = What::overhead,
              .correlation = o.correlationId,
              .start = time_of(o.start),
              .end = time_of(o.end)};
  r.kind = static_cast<std::uint8_t>(std::min<std::uint32_t>(o.overheadKind, 255));
  return {r, {}};
}

std::optional<NamedRecord> external(const CUpti_ActivityExternalCorrelation& e) {
  if (e.externalKind != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0) return std::nullopt;  // some other tool's
  GpuRecord r{.what = What::external, .correlation = e.correlationId};
  r.start = time_of(e.externalId);
  return NamedRecord{r, {}};
}

template <class Activity>
const Activity& as(const CUpti_Activity& any) {
  return reinterpret_cast<const Activity&>(any);
}

}  // namespace

std::optional<NamedRecord> record_of(const CUpti_Activity& any) {
  switch (any.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return kernel(as<CUpti_ActivityKernel10>(any));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return copy(as<CUpti_ActivityMemcpy6>(any));
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return fill(as<CUpti_ActivityMemset4>(any));
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return call(as<CUpti_ActivityAPI>(any));
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return synchronisation(as<CUpti_ActivitySynchronization2>(any));
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
      return event(as<CUpti_ActivityCudaEvent2>(any));
    case CUPTI_ACTIVITY_KIND_MARKER:
      return marker(as<CUpti_ActivityMarker2>(any));
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return overhead(as<CUpti_ActivityOverhead3>(any));
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return external(as<CUpti_ActivityExternalCorrelation>(any));
    default:
      return std::nullopt;
  }
}

bool enqueues(std::string_view function) {
  if (function.find("Capture") != std::string_view::npos ||
      function.find("GraphAdd") != std::string_view::npos)
    return false;
  constexpr std::array<std::string_view, 9> starts{"cudaLaunch",      "cuLaunch",      "cudaMemcpy",
                                                   "cuMemcpy",        "cudaMemset",    "cuMemset",
                                                   "cudaGraphLaunch", "cuGraphLaunch", "cudaEventRecord"};
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view s) { return function.starts_with(s); }) ||
         function.starts_with("cuEventRecord") || function.starts_with("cudaStreamWaitEvent") ||
         function.starts_with("cuStreamWaitEvent");
}

}  // namespace echo::exsitu
