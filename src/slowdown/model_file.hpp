// A learned model as the bytes of a file. Nothing inside the frame is looked at before all of the frame is
// right; nothing inside is believed before the whole model is proved sound.
//   frame:   8 bytes magic, format version (u32), CRC-32 of the payload (u32), payload length (u64);
//   little-endian payload: a Boost binary archive without header: numbers, each list and text behind its
//   length
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "slowdown/learned.hpp"

namespace echo::slowdown {

inline constexpr std::uint32_t model_file_version = 1;
inline constexpr std::string_view model_file_magic{
    "\x89"
    "EchoSl\n",
    8};
inline constexpr std::size_t model_frame_bytes = 24;

// Precondition: is_sound. Equal models have equal bytes.
[[nodiscard]] std::string model_to_bytes(const LearnedModel&);

// `name`: of the file, for messages. UserError, 2: not such a file, one of another format or of other
// features, a damaged one, one that no training made. Memory taken is bounded by the length of `bytes`.
[[nodiscard]] LearnedModel model_from_bytes(std::string_view bytes, const std::string& name);

// The frame alone, around any payload.
[[nodiscard]] std::string framed(std::string_view payload);

}  // namespace echo::slowdown
