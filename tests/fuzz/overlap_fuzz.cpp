// A dataset of overlaps with any of its bytes changed and cut off anywhere, or with any of its values changed
// and its digest made right again, is one whose rows are sound or a UserError of exit code 2. The input is a
// list of changes. After an even first byte they are four bytes each: place (three bytes) and value; a place
// past the end cuts the file off. After an odd one they are ten: column, row and value of eight bytes.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "base/error.hpp"
#include "storage/hdf5.hpp"
#include "storage/overlap_file.hpp"
#include "storage/table_schema.hpp"
#include "tests/support/redigest.hpp"
#include "tests/support/sample_overlaps.hpp"

namespace {

using echo::storage::Hdf5File;

const std::string& scratch() {
  static const std::string path =
      std::filesystem::temp_directory_path() / ("echo_fuzz_overlap_" + std::to_string(::getpid()) + ".h5");
  return path;
}

std::string sound_file() {
  static_cast<void>(echo::storage::write_overlaps(scratch(), echo::testing::sample_overlaps()));
  std::ifstream in(scratch(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void change_bytes(std::string& bytes, std::span<const std::uint8_t> changes) {
  const std::size_t whole = bytes.size();
  for (; changes.size() >= 4; changes = changes.subspan(4)) {
    const std::size_t place = changes[0] | std::size_t{changes[1]} << 8 | std::size_t{changes[2]} << 16;
    if (place < bytes.size())
      bytes[place] = static_cast<char>(changes[3]);
    else if (place >= whole && place - whole < bytes.size())
      bytes.resize(place - whole);
  }
}

void change_values(std::span<const std::uint8_t> changes) {
  const echo::storage::TableSchema& schema = echo::storage::overlap_schema();
  {
    Hdf5File file(scratch(), Hdf5File::Mode::update);
    for (; changes.size() >= 10; changes = changes.subspan(10)) {
      const std::string column = std::string("/") + schema.columns[changes[0] % schema.columns.size()].name;
      std::uint64_t value = 0;
      std::memcpy(&value, changes.data() + 2, sizeof value);
      file.write_rows(column, changes[1] % file.shape("/row").front(), 1, &value);
    }
    file.close();
  }
  echo::testing::redigest(scratch(), schema);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string sound = sound_file();
  if (size == 0) return 0;
  const bool by_value = data[0] % 2 == 1;
  const std::span<const std::uint8_t> changes(data + 1, size - 1);
  std::string bytes = sound;
  if (!by_value) change_bytes(bytes, changes);
  std::ofstream(scratch(), std::ios::binary) << bytes;
  if (by_value) change_values(changes);
  try {
    for (const echo::slowdown::OverlapRow& row : echo::storage::read_overlaps(scratch()).data.rows)
      if (echo::slowdown::why_unsound(row) != nullptr) std::abort();
  } catch (const echo::UserError& error) {
    if (error.exit_code() != 2) std::abort();
  }
  return 0;
}
