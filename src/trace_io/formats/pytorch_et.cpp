// Execution traces of PyTorch's ExecutionTraceObserver: every op with the shapes of its operands and its
// caller; joined with a profile of the same run where there is one.
#include <filesystem>

#include "trace_io/model/trace_folder.hpp"
#include "trace_io/pytorch_et/et_trace.hpp"

namespace echo::trace_io::formats {

namespace {

bool recognises(const std::string& path, std::string_view head) {
  return std::filesystem::is_directory(path) ? has_files(path, is_et_file) : is_et_file(path, head);
}

}  // namespace

extern const Format pytorch_et{
    .name = "pytorch_et",
    .summary = "execution traces of PyTorch (.json, .json.gz), with or without a profile beside them",
    .source = "pytorch/pytorch, torch/csrc/profiler/standalone/execution_trace_observer.cpp",
    .recognises = recognises,
    .read = read_et,
    .write = nullptr};

}  // namespace echo::trace_io::formats
