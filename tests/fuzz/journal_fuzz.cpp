// Any bytes on disk are frames, claim pages and locks, or garbage; the readers say which and never read past
// them.
#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "parallel/journal/claim_page.hpp"
#include "parallel/journal/frame_reader.hpp"
#include "parallel/journal/journal_frames.hpp"
#include "parallel/journal/rows_frame.hpp"
#include "parallel/launch/launch_lock.hpp"
#include "results/write/block.hpp"

namespace {

using namespace echo::parallel;

void read_packed(std::string_view part) {
  const auto head = echo::results::read_head(part);
  if (head && (head->block.rows < 1 || head->block.rows > echo::results::block_rows)) std::abort();
  std::vector<echo::results::PackedColumn> columns;
  static_cast<void>(echo::results::read_columns(part, columns));
  if (columns.size() > echo::results::row_datasets().size()) std::abort();
}

void read_payload(std::string_view payload) {
  static_cast<void>(read_header(payload));
  static_cast<void>(key_of(payload));
  std::vector<echo::sweep::Row> rows;
  if (read_index(payload) && unpack_rows(payload, rows) && rows.size() > most_rows_in_frame) std::abort();
  switch (kind_of(payload)) {
    case FrameKind::header:
    case FrameKind::rows:
      break;
    case FrameKind::end:
      static_cast<void>(read_end(payload));
      break;
    case FrameKind::block:
      static_cast<void>(read_block(payload));
      read_packed(block_content(payload));
      break;
    case FrameKind::failure:
      static_cast<void>(read_failure(payload));
      break;
  }
}

// The same through the window of a file reader: as many frames, and what is left is torn.
void read_as_file(std::string_view bytes, std::size_t frames_in_memory, std::size_t bytes_in_frames) {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("journal-fuzz-" + std::to_string(::getpid()));
  static const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  static const int at_end = std::atexit([] { ::unlink(path.c_str()); });
  static_cast<void>(at_end);
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, bytes.data(), bytes.size(), 0) != std::ssize(bytes))
    std::abort();
  FrameReader reader(path);
  std::size_t frames = 0;
  while (reader.next()) ++frames;
  if (frames != frames_in_memory || reader.torn_bytes() != std::ssize(bytes.substr(bytes_in_frames)))
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  static_cast<void>(parse_claim(all));
  if (const auto lock = parse_lock(all)) static_cast<void>(describe_holder(*lock));
  std::string_view bytes = all;
  std::size_t frames = 0;
  while (const auto payload = first_frame(bytes)) {
    read_payload(*payload);
    bytes.remove_prefix(frame_head_bytes + payload->size());
    ++frames;
  }
  read_as_file(all, frames, all.size() - bytes.size());
  // The same bytes as the payload of a frame with a sound checksum, of every kind, and as a claim page with
  // one.
  for (std::uint32_t kind = 0; kind < 5; ++kind) {
    std::string sound(reinterpret_cast<const char*>(&kind), sizeof kind);
    const std::string frame = framed(sound.append(all));
    if (const auto payload = first_frame(frame)) read_payload(*payload);
  }
  return 0;
}
