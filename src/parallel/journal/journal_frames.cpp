#include "parallel/journal/journal_frames.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "base/digest.hpp"
#include "base/record.hpp"

namespace echo::parallel {
namespace {

// The number of the format follows. 2: frames without a key, rows not packed. 3: rows as planes, no
// blocks.
constexpr std::string_view magic = "echo-sweep journal ", format = "4";

std::uint64_t check_of(std::string_view payload) { return hash64(std::as_bytes(std::span(payload))); }

}  // namespace

std::uint64_t row_layout() {
  using sweep::Row;
  using Config = training::TrainingConfig;
  using Report = simulate::StepReport;
  const std::array<std::uint64_t, 37> places{sizeof(Row),
                                             offsetof(Row, id),
                                             offsetof(Row, config_id),
                                             offsetof(Row, config),
                                             offsetof(Row, report),
                                             offsetof(Row, limit),
                                             offsetof(Row, limit_excess),
                                             offsetof(Row, seconds),
                                             sizeof(Config),
                                             offsetof(Config, degrees),
                                             offsetof(Config, batch),
                                             offsetof(Config, schedule),
                                             offsetof(Config, zero_group),
                                             offsetof(Config, overlap),
                                             offsetof(Config, layers),
                                             offsetof(Config, sequence_parallel),
                                             offsetof(Config, recipe),
                                             sizeof(training::Recipe),
                                             offsetof(Config, fabric),
                                             sizeof(machine::FabricChoice),
                                             offsetof(Config, nccl_version),
                                             sizeof(Report),
                                             offsetof(Report, step),
                                             offsetof(Report, exposed),
                                             offsetof(Report, total),
                                             offsetof(Report, memory),
                                             offsetof(Report, memory_peak),
                                             offsetof(Report, mfu),
                                             offsetof(Report, bubble_fraction),
                                             offsetof(Report, path),
                                             offsetof(Report, bottleneck),
                                             offsetof(Report, step_median),
                                             offsetof(Report, evidence),
                                             offsetof(Report, untried),
                                             offsetof(Report, error),
                                             offsetof(Report, rel_error),
                                             offsetof(Report, mem_rel_error)};
  return hash64(std::as_bytes(std::span(places)));
}

std::string framed(std::string_view payload) {
  std::string frame;
  frame.reserve(frame_head_bytes + payload.size());
  put_value(static_cast<std::uint32_t>(payload.size()), frame);
  put_value(check_of(payload), frame);
  frame += payload;
  return frame;
}

std::size_t claimed_length(std::string_view bytes) {
  if (bytes.size() < frame_head_bytes) return 0;
  return frame_head_bytes + RecordReader(bytes).value<std::uint32_t>();
}

std::optional<std::string_view> first_frame(std::string_view bytes) {
  const std::size_t length = claimed_length(bytes);
  if (length < frame_head_bytes + frame_kind_bytes || length > bytes.size()) return std::nullopt;
  const auto check = RecordReader(bytes.substr(sizeof(std::uint32_t))).value<std::uint64_t>();
  const auto payload = bytes.substr(frame_head_bytes, length - frame_head_bytes);
  if (check_of(payload) != check) return std::nullopt;
  return payload;
}

FrameKind kind_of(std::string_view payload) { return RecordReader(payload).value<FrameKind>(); }

// Calls `each` with every stored member of the header, in its order on disk.
template <class Header, class Each>
static void for_each_member(Header& header, Each each) {
  each(header.launch);
  each(header.worker);
  each(header.workers);
  each(header.start);
  auto& sweep = header.sweep;
  for (auto* text : {&sweep.name, &sweep.title, &sweep.sweep_key, &sweep.row_key, &sweep.code_key,
                     &sweep.catalog_key, &sweep.calibration_key, &sweep.space_key, &sweep.shard})
    each(*text);
  each(sweep.ids);
}

std::uint64_t frame_key(const results::FileHeader& sweep) {
  return check_of(sweep.sweep_key + "\n" + sweep.shard);
}

std::uint64_t key_of(std::string_view payload) {
  return RecordReader(payload.substr(std::min(payload.size(), frame_kind_bytes))).value<std::uint64_t>();
}

std::string header_payload(const JournalHeader& header) {
  std::string out;
  put_value(FrameKind::header, out);
  put_text(std::string(magic) += format, out);
  put_value(row_layout(), out);
  for_each_member(header, [&out](const auto& member) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, std::string>)
      put_text(member, out);
    else
      put_value(member, out);
  });
  return out;
}

std::optional<StoredHeader> read_header(std::string_view payload) {
  RecordReader in(payload);
  if (in.value<FrameKind>() != FrameKind::header) return std::nullopt;
  const std::string title = in.text();
  if (!title.starts_with(magic)) return std::nullopt;
  StoredHeader stored;
  const auto layout = in.value<std::uint64_t>();
  stored.is_readable = title.substr(magic.size()) == format && layout == row_layout();
  for_each_member(stored.header, [&in](auto& member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_same_v<Member, std::string>)
      member = in.text();
    else
      member = in.value<Member>();
  });
  return in.is_whole() ? std::optional(stored) : std::nullopt;
}

std::string frame_front(FrameKind kind, std::uint64_t key) {
  std::string out;
  put_value(kind, out);
  put_value(key, out);
  return out;
}

// A reader of what follows them.
static RecordReader after_front(std::string_view payload) {
  RecordReader in(payload);
  in.value<FrameKind>();
  in.value<std::uint64_t>();
  return in;
}

std::string end_payload(std::uint64_t key, const EndMark& mark) {
  std::string out = frame_front(FrameKind::end, key);
  put_text(mark.end, out);
  put_text(mark.stop_reason, out);
  return out;
}

EndMark read_end(std::string_view payload) {
  RecordReader in = after_front(payload);
  EndMark mark;
  mark.end = in.text();
  mark.stop_reason = in.text();
  return mark;
}

std::string failure_payload(std::uint64_t key, const sweep::Failure& failure) {
  std::string out = frame_front(FrameKind::failure, key);
  put_value(failure.id, out);
  put_text(std::string_view(failure.message).substr(0, longest_message), out);
  return out;
}

sweep::Failure read_failure(std::string_view payload) {
  RecordReader in = after_front(payload);
  sweep::Failure failure;
  failure.id = in.value<sweep::PointIndex>();
  failure.message = in.text();
  return failure;
}

std::string block_payload(std::uint64_t key, const BlockMark& mark, std::string_view content) {
  std::string out = frame_front(FrameKind::block, key);
  put_value(mark, out);
  return out += content;
}

BlockMark read_block(std::string_view payload) { return after_front(payload).value<BlockMark>(); }

std::string_view block_content(std::string_view payload) {
  return payload.substr(std::min(payload.size(), frame_front_bytes + sizeof(BlockMark)));
}

}  // namespace echo::parallel
