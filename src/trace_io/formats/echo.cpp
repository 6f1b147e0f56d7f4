// Our own format: all contents of a trace, one JSON object per line.
#include "trace_io/lines/echo_lines.hpp"

namespace echo::trace_io::formats {

namespace {

bool recognises(const std::string& path, std::string_view head) {
  if (!path.ends_with(".jsonl") && !path.ends_with(".jsonl.gz")) return false;
  return head.substr(0, head.find('\n')).find("\"echo_trace\"") != head.npos;
}

}  // namespace

extern const Format echo{.name = "echo",
                         .summary = "echo-sweep's own format: JSON Lines (.jsonl, .jsonl.gz)",
                         .source = "src/trace_io/README.md",
                         .recognises = recognises,
                         .read = read_echo_lines,
                         .write = write_echo_lines,
                         .write_ranks = write_echo_ranks};

}  // namespace echo::trace_io::formats
