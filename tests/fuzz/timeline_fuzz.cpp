// A small export of Nsight Systems with calls, ranges and events, any of its bytes changed, or cut off
// anywhere, is a sound trace or a UserError of exit code 2. The input is a list of changes as trace_fuzz.cpp
// takes them.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/error.hpp"
#include "tests/support/timeline_file.hpp"
#include "trace_io/nsight/nsight_timeline.hpp"

namespace {

const std::string& scratch() {
  static const std::string path = std::filesystem::temp_directory_path() /
                                  ("echo_fuzz_timeline_" + std::to_string(::getpid()) + ".sqlite");
  return path;
}

std::string sound_file() {
  std::filesystem::remove(scratch());
  echo::testing::TimelineFile file;
  file.range("iteration 1", 0, 900).kernel("gemm(x)", 1, 10, 100, 50).record(2, 20, 9, 7);
  file.wait_event(3, 30, 9, 20).kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 4, 40, 150, 60, 20);
  file.range("iteration 2", 900, 2000).kernel("norm(x)", 5, 1000, 1100, 50, 7, 1);
  file.write(scratch());
  std::ifstream in(scratch(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string sound = sound_file();
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
    if (!echo::trace::why_unsound(echo::trace_io::read_nsight({scratch()})).empty()) std::abort();
  } catch (const echo::UserError& error) {
    if (error.exit_code() != 2) std::abort();
  }
  return 0;
}
