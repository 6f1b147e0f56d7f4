// The files of Echo's workload tracer (NetX-lab/Echo-workload-tracer, tracer_core/torch_analysis): the graph
// of a model's forward and backward pass from torch.fx and autograd, a list of nodes; their times in ms, an
// object by name; and a description of the run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace_io/pytorch_et/aten_kernel.hpp"

namespace echo::trace_io {

struct TracerTensor {
  std::vector<std::int64_t> shape;
  std::string type;  // "torch.float32"
};

struct TracerNode {
  std::string name, op;
  std::vector<std::string> from;  // names of nodes whose results it takes
  std::vector<TracerTensor> inputs, outputs;
  TracerTensor weight;
  std::int64_t bucket = 0;  // elements of a gradient bucket
};

// UserError, 2, with the byte where a file is no such thing.
[[nodiscard]] std::vector<TracerNode> read_tracer_graph(const std::string& path);
[[nodiscard]] std::map<std::string, double> read_tracer_times(const std::string& path);  // ms

struct TracerRun {
  std::string gpu;
  std::int32_t gpus = 1;
};
[[nodiscard]] TracerRun read_tracer_run(const std::string& path);

// The op in the dispatcher's words; no name where we have none for it.
[[nodiscard]] AtenCall call_of(const TracerNode&);
// Arithmetic of a product's two gradients, 0 of anything else.
[[nodiscard]] double gradient_flops(const TracerNode&);

}  // namespace echo::trace_io
