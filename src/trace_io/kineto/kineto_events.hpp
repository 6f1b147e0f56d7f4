// Reads the events of a libkineto profile one by one: Chrome's trace event format, an object with
// "traceEvents" or the bare list. Sources: pytorch/kineto, libkineto/src/output_json.cpp;
// pytorch/pytorch, torch/csrc/autograd/profiler_kineto.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "trace_io/pytorch_et/aten_kernel.hpp"
#include "trace_io/pytorch_et/torch_comm.hpp"

namespace echo::trace_io {

enum class KinetoCategory : std::int8_t {
  other,
  cpu_op,
  annotation,  // user_annotation: ProfilerStep#3, Optimizer.step#Adam.step
  runtime,     // cuda_runtime, cuda_driver: calls of the host
  kernel,
  memcpy,
  memset,
  sync  // cuda_sync: who waited for what
};

// What was launched: 0, -1, NaN: not said.
struct KinetoLaunch {
  static constexpr double not_said = std::numeric_limits<double>::quiet_NaN();
  std::array<std::int64_t, 3> grid{}, block{};
  std::int64_t registers = -1, shared_memory = -1;  // per thread; bytes of a block
  double occupancy_percent = not_said, blocks_per_sm = not_said, warps_per_sm = not_said;
};

// Times in ns; -1 and empty: not said.
struct KinetoEvent {
  KinetoCategory category{};
  std::string name;
  std::int64_t start = -1, duration = 0, thread = 0;
  std::int64_t external_id = -1, correlation = -1, record_id = -1;  // record_id: of an execution trace, rf_id
  std::int64_t sequence = -1, device = -1, stream = -1, bytes = 0;
  std::int64_t waits_for_stream = -1, waits_for_record = -1;  // sync: correlation of the cudaEventRecord
  AtenCall call;                                              // of a cpu_op, where shapes were recorded
  CommCall comm;
  KinetoLaunch launch;  // of a kernel, where KinetoWish::launches
  [[nodiscard]] std::int64_t end() const { return start + duration; }
};

struct KinetoHeader {
  std::string gpu;
  std::int32_t rank = -1, world = -1;  // -1: not said
  std::vector<CommCall> groups;        // name, purpose, ranks
  std::int32_t sm_count = 0;           // of the first GPU; 0: not said
  std::int64_t epoch = 0;              // ns that every time counts from, since 1970 or since the host began
};

// Which events to take: of these categories, and starting within.
struct KinetoWish {
  std::uint32_t categories = 0;  // bits
  std::int64_t from = INT64_MIN, until = INT64_MAX;
  std::string name_prefix = {};  // of the name, where not empty
  bool launches = false;         // also what was launched
  [[nodiscard]] static constexpr std::uint32_t bit(KinetoCategory one) {
    return 1U << static_cast<std::uint32_t>(one);
  }
  [[nodiscard]] bool takes(KinetoCategory one) const { return (categories & bit(one)) != 0; }
};

// Calls `take` with each event that is wished for; it may move parts of it away. UserError, 2, with the byte
// where the text is no such profile. Returns how many events of the GPU it holds, wished for or not.
std::int64_t read_kineto_events(const std::string& path, const KinetoWish&, KinetoHeader&,
                                const std::function<void(KinetoEvent&)>& take);

}  // namespace echo::trace_io
