// Any text read as an execution trace of PyTorch is a sound trace or a UserError of exit code 2.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "trace_io/format.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace echo;
  static const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("echo_fuzz_pytorch_et_" + std::to_string(::getpid()));
  static const std::string path = (std::filesystem::create_directories(folder), folder / "t.json");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const trace::Trace trace = trace_io::format_named("pytorch_et")->read({path});
    if (!trace::why_unsound(trace).empty()) std::abort();
  } catch (const UserError& error) {
    if (error.exit_code() != 2) std::abort();
  }
  return 0;
}
