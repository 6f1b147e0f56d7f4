// The format of a journal on disk: frames of [u32 length][u64 XXH3-64 of the payload][payload]. A payload
// starts with its kind; in every frame but the header the key of its sweep follows. The first frame is the
// header; an end frame is the last if the worker ended normally.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "parallel/journal/journal.hpp"

namespace echo::parallel {

// header: whose rows these are; rows: see rows_frame.hpp; end: how the worker ended; failure:
// the error of one point, before its row; block: a part of rows packed as the result file stores them
// (results/write/block.hpp), after the rows themselves, one part after the other.
enum class FrameKind : std::uint32_t { header, rows, end, failure, block };

inline constexpr std::size_t frame_head_bytes = sizeof(std::uint32_t) + sizeof(std::uint64_t);
inline constexpr std::size_t frame_kind_bytes = sizeof(FrameKind);
inline constexpr std::size_t frame_front_bytes = frame_kind_bytes + sizeof(std::uint64_t);  // kind and key
inline constexpr std::size_t longest_frame = std::size_t{4}
                                             << 20;   // including the head; larger sizes are garbage
inline constexpr std::size_t longest_message = 2000;  // bytes of a failure's text; the rest is cut off

// Fingerprint of sweep::Row as compiled: rows are stored byte by byte, so it must be equal.
[[nodiscard]] std::uint64_t row_layout();

[[nodiscard]] std::string framed(std::string_view payload);
// The payload of the frame that `bytes` starts with; nothing when it is torn or garbage.
[[nodiscard]] std::optional<std::string_view> first_frame(std::string_view bytes);
// The length of the frame, head and all, that `bytes` claims to start with; 0 when there are too few bytes to
// say.
[[nodiscard]] std::size_t claimed_length(std::string_view bytes);
[[nodiscard]] FrameKind kind_of(std::string_view payload);

// The key that frames carry: of the sweep and the shard. Rows under another one are another sweep's, wherever
// they stand.
[[nodiscard]] std::uint64_t frame_key(const results::FileHeader&);
[[nodiscard]] std::uint64_t key_of(std::string_view payload);  // 0 where there are too few bytes

[[nodiscard]] std::string header_payload(const JournalHeader&);
struct StoredHeader {
  JournalHeader header;
  bool is_readable = false;  // format and layout of rows are this program's
};
[[nodiscard]] std::optional<StoredHeader> read_header(
    std::string_view payload);  // nothing: not a journal of ours

// Kind and key: the start of every payload but the header's.
[[nodiscard]] std::string frame_front(FrameKind, std::uint64_t key);

struct EndMark {
  std::string end, stop_reason;
};
[[nodiscard]] std::string end_payload(std::uint64_t key, const EndMark&);
[[nodiscard]] EndMark read_end(std::string_view payload);

// Rows [first, first + rows), all by one worker.
struct BlockMark {
  sweep::PointIndex first = 0;
  std::int32_t rows = 0, part = 0, parts = 0;
};
[[nodiscard]] std::string block_payload(std::uint64_t key, const BlockMark&, std::string_view content);
[[nodiscard]] BlockMark read_block(std::string_view payload);
[[nodiscard]] std::string_view block_content(std::string_view payload);

[[nodiscard]] std::string failure_payload(std::uint64_t key, const sweep::Failure&);
[[nodiscard]] sweep::Failure read_failure(std::string_view payload);

}  // namespace echo::parallel
