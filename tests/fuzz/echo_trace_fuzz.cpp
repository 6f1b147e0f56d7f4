// Any text read as our own trace format is a sound trace, that is written and read again as itself, or a
// UserError of exit code 2.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "trace_io/lines/echo_lines.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace echo;
  static const std::string path =
      std::filesystem::temp_directory_path() / ("echo_fuzz_lines_" + std::to_string(::getpid()) + ".jsonl");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    trace::Trace first = trace_io::read_echo_lines({path});
    if (!trace::why_unsound(first).empty()) return 0;  // read_trace refuses it
    first.format = "echo";
    trace_io::write_echo_lines(first, path);
    trace::Trace second = trace_io::read_echo_lines({path});
    second.format = "echo";
    trace_io::write_echo_lines(second, path);
    trace::Trace third = trace_io::read_echo_lines({path});
    third.format = "echo";
    // Names and kernels come in the order of lines once written.
    if (second.ranks.size() != first.ranks.size() || !(third == second)) std::abort();
  } catch (const UserError& error) {
    if (error.exit_code() != 2) std::abort();
  }
  return 0;
}
