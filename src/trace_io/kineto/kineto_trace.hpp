// Reads profiles of torch.profiler, one file per rank, as one trace.
#pragma once

#include <string>
#include <string_view>

#include "trace_io/format.hpp"
#include "trace_io/kineto/kineto_step.hpp"

namespace echo::trace_io {

// By the name and the first bytes of a file.
[[nodiscard]] bool is_kineto_file(const std::string& path, std::string_view head);

[[nodiscard]] trace::Trace read_kineto(const Source&);

// One file, with what an execution trace beside it says: of its ops, and of its groups.
struct KinetoFile {
  std::string path;
  std::int32_t rank = -1;  // -1: as the file says
  OpNotes notes;
  std::vector<CommCall> groups;
};
[[nodiscard]] trace::Trace read_kineto_files(const std::vector<KinetoFile>&, std::int32_t step);

}  // namespace echo::trace_io
