// The overlaps found in any text read as a profile of torch.profiler are shares of times, or it is a
// UserError of exit code 2.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/at.hpp"
#include "base/error.hpp"
#include "overlaps/import.hpp"
#include "overlaps/readers/kineto_profile.hpp"
#include "overlaps/rows_csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace echo;
  static const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("echo_fuzz_overlaps_" + std::to_string(::getpid()));
  static const std::string path = (std::filesystem::create_directories(folder), folder / "t.json");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const overlaps::Imported imported = overlaps::import_profiles({overlaps::read_kineto_profile(path)});
    const overlaps::Profile& profile = imported.profiles[0];
    for (const overlaps::Observation& row : imported.overlaps[0].rows) {
      const std::int64_t time = profile.activities[at(row.activity)].duration;
      for (const std::int64_t part : {row.beside, row.beside_others, row.beside_copies})
        if (part < 0 || part > time) std::abort();
      if (!(row.slowdown > 0.0) || row.alone_count < 2) std::abort();
      if (overlaps::row_text(profile, row, {}).empty()) std::abort();
    }
  } catch (const UserError& error) {
    if (error.exit_code() != 2) std::abort();
  }
  return 0;
}
