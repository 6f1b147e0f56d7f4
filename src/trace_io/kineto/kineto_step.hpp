// One training step of a profile: host calls, their ops, and their GPU activities. Read in three passes, so
// that only the step is in memory: its bounds (ProfilerStep#N), host events within, and the activities of
// those launches.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace_io/kineto/kineto_events.hpp"

namespace echo::trace_io {

// Times in ns.
struct HostOp {
  std::int32_t name = 0;  // of KinetoStep::names
  bool is_annotation = false;
  std::int64_t start = 0, end = 0, thread = 0;
  std::int64_t external_id = -1, sequence = -1;
  std::int32_t comm = -1;                  // of KinetoStep::comms
  std::optional<ops::KernelKey> forward;   // the kernel it is, where its shapes say so: in a forward pass
  std::optional<ops::KernelKey> backward;  // and in a backward pass
};

struct HostCall {
  enum class Kind : std::int8_t { launch, record_event, wait_event, synchronise };
  Kind kind{};
  std::int32_t name = 0;
  std::int64_t start = 0, end = 0, thread = 0;
  std::int64_t correlation = -1, external_id = -1;
};

struct GpuEvent {
  KinetoCategory category{};
  std::int32_t name = 0;
  std::int64_t start = 0, duration = 0, stream = 0;
  std::int64_t correlation = -1, external_id = -1, bytes = 0;
  std::int32_t comm = -1;
  [[nodiscard]] std::int64_t end() const { return start + duration; }
};

// The event that a synchronising call waited for, as the driver recorded it.
struct Synchronisation {
  std::int64_t stream = -1, waits_for_stream = -1, waits_for_record = -1;
};

struct KinetoStep {
  KinetoHeader header;
  std::string label;        // "ProfilerStep#3"; empty: the file marks no steps, and all of it is one
  std::int64_t start = -1;  // -1: not marked
  std::vector<std::string> names;
  std::vector<CommCall> comms;
  std::vector<HostOp> ops;      // by start, then longest first
  std::vector<HostCall> calls;  // by start
  std::vector<GpuEvent> events;
  std::unordered_map<std::int64_t, Synchronisation> synchronisations;  // by correlation
};

// The role of a call of the runtime, by its name; nothing: it is ignored.
[[nodiscard]] std::optional<HostCall::Kind> call_kind(std::string_view name);
// Puts ops and calls in their order.
void sort_step(KinetoStep&);

// The data that an execution trace adds to an op of the profile: shapes, participants of communication.
using OpNotes = std::function<void(KinetoEvent&)>;

// `step` -1: the one in the middle in which the GPU does anything. UserError, 2: no such step, or no GPU
// events.
[[nodiscard]] KinetoStep read_kineto_step(const std::string& path, std::int32_t step, const OpNotes& = {});

}  // namespace echo::trace_io
