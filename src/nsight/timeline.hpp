// One step of a program's run, or all of it, recorded by Nsight Systems: host calls, their GPU activities,
// NVTX ranges. From the same export as trace.hpp (--trace=cuda,nvtx), tables CUPTI_ACTIVITY_KIND_{KERNEL,
// MEMCPY, MEMSET, RUNTIME, SYNCHRONIZATION, CUDA_EVENT} and NVTX_EVENTS; only KERNEL is required. Source:
// NVIDIA Nsight Systems, SQLite Export Schema Reference.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace echo::nsight {

// Times in ns since the session began; names of Timeline::names. Correlations are of a process.
struct TimelineCall {
  std::int32_t name = 0;
  std::int64_t process = 0, thread = 0, start = 0, end = 0, correlation = -1;
};
struct TimelineRange {  // NVTX
  std::int32_t name = 0;
  std::int64_t process = 0, thread = 0, start = 0, end = 0;
};
struct TimelineActivity {
  enum class Kind : std::int8_t { kernel, memcpy, memset };
  Kind kind{};
  std::int32_t name = 0;  // of copies: "Memcpy HtoD"
  std::int64_t process = 0, device = 0, stream = 0, start = 0, end = 0, correlation = -1, bytes = 0;
  // A kernel's resources; 0, -1: the report does not say.
  std::array<std::int64_t, 3> grid{}, block{};
  std::int64_t registers = -1, shared_memory = -1;  // per thread; bytes of a block, static and dynamic
};
// The waiting stream: -1 where the report does not say.
struct TimelineWait {
  std::int64_t process = 0, correlation = -1, stream = -1;
  std::int64_t for_stream = -1, for_record = -1;  // correlation of the call that recorded the event
};

struct Timeline {
  std::string label;        // the range that marks the step; empty: all of the report
  std::int64_t start = -1;  // its begin; -1: not marked
  std::string gpu;
  std::int32_t sm_count = 0;  // of that GPU; 0: the report does not say
  std::vector<std::string> names;
  std::vector<TimelineCall> calls;
  std::vector<TimelineRange> ranges;
  std::vector<TimelineActivity> activities;
  std::vector<TimelineWait> waits;
};

inline constexpr std::int32_t whole_report = -2;
// Ranges mark steps that are called ProfilerStep#7, iteration 7, step_7 and the like. `step` -1: the one in
// the middle; whole_report: all of the report. Throws UserError, 2.
[[nodiscard]] Timeline read_timeline(const std::string& path, std::int32_t step);

// The number of a step's range; -1: the text marks none.
[[nodiscard]] std::int64_t step_number(std::string_view text);

}  // namespace echo::nsight
