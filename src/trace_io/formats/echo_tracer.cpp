// The output of Echo's workload tracer: a model's graph, and the duration of each of its nodes.
#include "trace_io/echo_tracer/tracer_trace.hpp"
#include "trace_io/model/trace_folder.hpp"

namespace echo::trace_io::formats {

namespace {

bool recognises(const std::string& path, std::string_view head) {
  const auto has = [&](std::string_view part) { return head.find(part) != head.npos; };
  return is_json_name(path) && head.starts_with("[") && has("\"input_nodes\"") && has("\"output_nodes\"");
}

}  // namespace

extern const Format echo_tracer{
    .name = "echo_tracer",
    .summary = "Echo's workload tracer: the graph (.json), times and run beside it",
    .source = "NetX-lab/Echo-workload-tracer, tracer_core/torch_analysis",
    .recognises = recognises,
    .read = read_tracer,
    .write = nullptr};

}  // namespace echo::trace_io::formats
