// Any bytes on disk are frames or garbage; the reader says which and never reads past them.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "parallel/journal_frames.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace echo::parallel;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(read_header(bytes));
  while (const auto payload = first_frame(bytes)) {
    if (payload->size() >= frame_kind_bytes) {
      if (kind_of(*payload) == FrameKind::header) static_cast<void>(read_header(*payload));
      if (kind_of(*payload) == FrameKind::end) static_cast<void>(read_end(*payload));
    }
    bytes.remove_prefix(frame_head_bytes + payload->size());
  }
  // The same bytes as the payload of a frame with a sound checksum.
  const auto kind = FrameKind(size % 3);
  std::string sound(reinterpret_cast<const char*>(&kind), sizeof kind);
  sound.append(reinterpret_cast<const char*>(data), size);
  static_cast<void>(read_header(sound));
  if (kind == FrameKind::end) static_cast<void>(read_end(sound));
  return 0;
}
