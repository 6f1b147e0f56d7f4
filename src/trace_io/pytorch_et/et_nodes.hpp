// The nodes of an execution trace of PyTorch's observer: schema 1.0.1 (PyTorch 1.x, 2.0) with its fields in
// the node, 1.0.2-chakra.0.0.4 to 1.1.1 (2.x) with separate inputs, outputs and attrs.
// Source: pytorch/pytorch, torch/csrc/profiler/standalone/execution_trace_observer.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "trace_io/pytorch_et/aten_kernel.hpp"
#include "trace_io/pytorch_et/torch_comm.hpp"

namespace echo::trace_io {

struct EtTensor {
  std::int64_t storage = 0, bytes = 0;  // whose memory; of the tensor
  bool on_host = false;
  std::int32_t operand = 0;  // which of the inputs it is, or in the list of
};

struct EtNode {
  std::int64_t id = -1, parent = -1, record_id = -1, sequence = -1;
  std::string name;
  AtenCall call;
  std::vector<EtTensor> reads, writes;  // inputs, outputs, those of lists among them
  CommCall comm;                        // of record_param_comms
  std::string text;                     // the first input that is a string
};

// Calls `take` with each in the order of the file (a node may stand behind those it called). UserError, 2,
// with the byte where it is no such trace.
void read_et_nodes(const std::string& path, const std::function<void(EtNode&)>& take);

// The contents of "## process_group:init ##": a JSON list of groups.
[[nodiscard]] std::vector<CommCall> groups_of_text(const std::string& text);

}  // namespace echo::trace_io
