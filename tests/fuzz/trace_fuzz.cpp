// A small export of Nsight Systems with any of its bytes changed, or cut off anywhere, is a trace that can be
// joined with the sound one or a UserError of exit code 2. The input is a list of changes of four bytes each:
// place (three bytes) and value; a place past the end cuts the file off.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/error.hpp"
#include "nsight/join.hpp"
#include "nsight/trace.hpp"
#include "tests/support/trace_file.hpp"

namespace {

const std::string& scratch() {
  static const std::string path =
      std::filesystem::temp_directory_path() / ("echo_fuzz_trace_" + std::to_string(::getpid()) + ".sqlite");
  return path;
}

std::string sound_file() {
  std::filesystem::remove(scratch());
  echo::testing::write_trace(scratch(), {{"gemm", "void gemm<4>(T1 *)", 1000, 2000},
                                         {"norm", "norm(T1 *)", 2000, 2500},
                                         {"gelu", "gelu(T1 *)", 2450, 2700, 0, 8}});
  std::ifstream in(scratch(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string sound = sound_file();
  static const echo::nsight::Trace trace = echo::nsight::read_trace(scratch());
  std::string bytes = sound;
  for (std::size_t i = 0; i + 4 <= size; i += 4) {
    const std::size_t place = data[i] | std::size_t{data[i + 1]} << 8 | std::size_t{data[i + 2]} << 16;
    if (place < bytes.size())
      bytes[place] = static_cast<char>(data[i + 3]);
    else if (place >= sound.size() && place - sound.size() < bytes.size())
      bytes.resize(place - sound.size());
  }
  std::ofstream(scratch(), std::ios::binary) << bytes;
  try {
    const echo::nsight::Trace changed = echo::nsight::read_trace(scratch());
    for (const echo::slowdown::OverlapRow& row : echo::nsight::join_runs({trace, changed, {}, "gpu"}).rows)
      if (echo::slowdown::why_unsound(row) != nullptr) std::abort();
  } catch (const echo::UserError& error) {
    if (error.exit_code() != 2) std::abort();
  }
  return 0;
}
