// A learned model as the bytes of a file. The payload is read only after the whole frame is verified, and the
// model is used only after all of it is proved sound.
//   frame:   8 bytes magic, format version (u32), CRC-32 of the payload (u32), payload length (u64);
//   little-endian payload: a Boost binary archive without header: numbers; lists and texts follow their
//   length
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "slowdown/learned.hpp"

namespace echo::slowdown {

inline constexpr std::uint32_t model_file_version = 3;
inline constexpr std::string_view model_file_magic{
    "\x89"
    "EchoSl\n",
    8};
inline constexpr std::size_t model_frame_bytes = 24;

// Precondition: is_sound. Equal models have equal bytes.
[[nodiscard]] std::string model_to_bytes(const LearnedModel&);

// `name`: of the file, for messages. UserError, 2: not such a file, another format or other features, a
// damaged file, or one that no training made. Memory use is bounded by the length of `bytes`
// and by memory_limit().
[[nodiscard]] LearnedModel model_from_bytes(std::string_view bytes, const std::string& name);

// Puts the frame around any payload.
[[nodiscard]] std::string framed(std::string_view payload);

}  // namespace echo::slowdown
