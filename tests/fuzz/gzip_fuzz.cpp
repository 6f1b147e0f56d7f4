// Any bytes as a compressed trace, whose format is found by its name and its first bytes, are a sound trace
// or a UserError of exit code 2. The first byte chooses the name, and whether the rest is the compressed file
// or what it unpacks to.
#include <unistd.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/error.hpp"
#include "trace_io/format.hpp"

namespace {

constexpr const char* names[] = {"t.json.gz", "t.jsonl.gz", "t.0.et", "t.0.json", "t.txt"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace echo;
  static const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("echo_fuzz_gzip_" + std::to_string(::getpid()));
  if (size == 0) return 0;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string path = folder / names[data[0] % std::size(names)];
  if (data[0] < 128) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data + 1), static_cast<std::streamsize>(size - 1));
  } else {
    gzFile file = gzopen(path.c_str(), "wb1");
    gzwrite(file, data + 1, static_cast<unsigned>(size - 1));
    gzclose(file);
  }
  try {
    const trace::Trace trace = trace_io::read_trace({path});
    if (!trace::why_unsound(trace).empty()) std::abort();
  } catch (const UserError& error) {
    if (error.exit_code() != 2) std::abort();
  }
  return 0;
}
