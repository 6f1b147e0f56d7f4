// The ops of an execution trace that a GPU would run, in call order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace_io/pytorch_et/et_nodes.hpp"

namespace echo::trace_io {

struct EtOp {
  std::int64_t id = -1;
  std::string name;
  trace::Pass pass{};
  std::optional<ops::KernelKey> kernel;
  std::optional<CommCall> comm;  // of communication, filled in from its tensors where it does not say
  bool crosses = false;          // a copy between the GPU and its host
  std::vector<EtTensor> reads, writes;
};

struct EtOps {
  std::vector<EtOp> ops;
  std::vector<CommCall> groups;
  std::string label;     // of the step, empty where the trace marks none
  bool on_host = false;  // no tensor lies on a GPU
};

// `step` as Source::step.
[[nodiscard]] EtOps read_et_ops(const std::string& path, std::int32_t step);

}  // namespace echo::trace_io
