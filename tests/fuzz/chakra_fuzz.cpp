// Any bytes are a Chakra trace or a UserError of exit code 2 or 5; what is read is sound and comes back from
// a file as it was. The first byte chooses what the rest is: protobuf, JSON, or the groups of a sound trace.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "tests/support/chakra_files.hpp"
#include "trace_io/format.hpp"

namespace {

using echo::trace::Trace;

const std::filesystem::path& scratch() {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("echo_fuzz_chakra_" + std::to_string(::getpid()));
  return path;
}

std::string sound_trace() {
  echo::testing::ChakraText text;
  text.add(echo::testing::chakra_compute(1, 5));
  return text.add(echo::testing::chakra_collective(2, ChakraProtoMsg::ALL_GATHER, 8, "1")).bytes;
}

// Written and read, it says the same; but that files of some ranks do not say how many there are, where no
// group does.
void expect_it_comes_back(const Trace& trace) {
  const std::filesystem::path folder = scratch() / "back";
  std::filesystem::remove_all(folder);
  echo::trace_io::format_named("chakra")->write(trace, folder.string());
  const Trace again = echo::trace_io::read_trace({folder.string(), {}}, "chakra");
  if (again.ranks.size() != trace.ranks.size()) std::abort();
  if (again.world != trace.world) return;
  for (std::size_t i = 0; i < again.ranks.size(); ++i)
    if (again.ranks[i].nodes != trace.ranks[i].nodes || again.ranks[i].needs != trace.ranks[i].needs ||
        again.ranks[i].follows != trace.ranks[i].follows || again.ranks[i].extras != trace.ranks[i].extras)
      std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const int what = data[0] % 3;
  const std::filesystem::path file = scratch() / (what == 1 ? "a.0.json" : "a.0.et");
  std::filesystem::remove_all(scratch());
  echo::testing::write_bytes(file, what == 2 ? sound_trace() : rest);
  if (what == 2) echo::testing::write_bytes(scratch() / "comm_group.json", rest);
  try {
    const Trace trace = echo::trace_io::read_trace({file.string(), {}}, what == 1 ? "chakra_json" : "chakra");
    expect_it_comes_back(trace);
  } catch (const echo::UserError& error) {
    if (error.exit_code() != 2 && error.exit_code() != 5) std::abort();
  }
  return 0;
}
