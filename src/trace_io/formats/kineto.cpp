// The output of torch.profiler: kernels with their times, the calls that launched them, the ops around
// those.
#include <filesystem>

#include "trace_io/kineto/kineto_trace.hpp"
#include "trace_io/model/trace_folder.hpp"
#include "trace_io/pytorch_et/et_trace.hpp"

namespace echo::trace_io::formats {

namespace {

bool recognises(const std::string& path, std::string_view head) {
  if (!std::filesystem::is_directory(path)) return is_kineto_file(path, head);
  // Execution traces among them read their profiles themselves.
  return has_files(path, is_kineto_file) && !has_files(path, is_et_file);
}

}  // namespace

extern const Format kineto{
    .name = "kineto",
    .summary = "profiles of torch.profiler (.json, .json.gz), or a folder with one per rank",
    .source = "pytorch/kineto, libkineto; pytorch/pytorch, torch.profiler",
    .recognises = recognises,
    .read = read_kineto,
    .write = nullptr};

}  // namespace echo::trace_io::formats
