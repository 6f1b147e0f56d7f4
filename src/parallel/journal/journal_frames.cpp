#include "parallel/journal/journal_frames.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "base/digest.hpp"

namespace echo::parallel {
namespace {

// The number of the format follows. 2: frames without a key, rows not packed.
constexpr std::string_view magic = "echo-sweep journal ", format = "3";

std::uint64_t check_of(std::string_view payload) { return hash64(std::as_bytes(std::span(payload))); }

template <class T>
void put(T value, std::string& out) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}
void put(std::string_view text, std::string& out) {
  put(static_cast<std::uint32_t>(text.size()), out);
  out += text;
}

// Reads data written by `put`; past the end it yields zeros and records the error.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  T value() {
    T result{};
    const auto bytes = take(sizeof result);
    if (bytes.size() == sizeof result) std::memcpy(&result, bytes.data(), sizeof result);
    return result;
  }
  std::string text() { return std::string(take(value<std::uint32_t>())); }
  [[nodiscard]] bool is_whole() const { return is_whole_; }

 private:
  std::string_view take(std::size_t count) {
    if (count > rest_.size()) {
      is_whole_ = false;
      return {};
    }
    const auto bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  std::string_view rest_;
  bool is_whole_ = true;
};

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
  put(static_cast<std::uint32_t>(payload.size()), frame);
  put(check_of(payload), frame);
  frame += payload;
  return frame;
}

std::size_t claimed_length(std::string_view bytes) {
  if (bytes.size() < frame_head_bytes) return 0;
  return frame_head_bytes + Reader(bytes).value<std::uint32_t>();
}

std::optional<std::string_view> first_frame(std::string_view bytes) {
  const std::size_t length = claimed_length(bytes);
  if (length < frame_head_bytes + frame_kind_bytes || length > bytes.size()) return std::nullopt;
  const auto check = Reader(bytes.substr(sizeof(std::uint32_t))).value<std::uint64_t>();
  const auto payload = bytes.substr(frame_head_bytes, length - frame_head_bytes);
  if (check_of(payload) != check) return std::nullopt;
  return payload;
}

FrameKind kind_of(std::string_view payload) { return Reader(payload).value<FrameKind>(); }

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
  return Reader(payload.substr(std::min(payload.size(), frame_kind_bytes))).value<std::uint64_t>();
}

std::string header_payload(const JournalHeader& header) {
  std::string out;
  put(FrameKind::header, out);
  put(std::string_view(std::string(magic) += format), out);
  put(row_layout(), out);
  for_each_member(header, [&out](const auto& member) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, std::string>)
      put(std::string_view(member), out);
    else
      put(member, out);
  });
  return out;
}

std::optional<StoredHeader> read_header(std::string_view payload) {
  Reader in(payload);
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
  put(kind, out);
  put(key, out);
  return out;
}

// A reader of what follows them.
static Reader after_front(std::string_view payload) {
  Reader in(payload);
  in.value<FrameKind>();
  in.value<std::uint64_t>();
  return in;
}

std::string end_payload(std::uint64_t key, const EndMark& mark) {
  std::string out = frame_front(FrameKind::end, key);
  put(std::string_view(mark.end), out);
  put(std::string_view(mark.stop_reason), out);
  return out;
}

EndMark read_end(std::string_view payload) {
  Reader in = after_front(payload);
  EndMark mark;
  mark.end = in.text();
  mark.stop_reason = in.text();
  return mark;
}

std::string failure_payload(std::uint64_t key, const sweep::Failure& failure) {
  std::string out = frame_front(FrameKind::failure, key);
  put(failure.id, out);
  put(std::string_view(failure.message).substr(0, longest_message), out);
  return out;
}

sweep::Failure read_failure(std::string_view payload) {
  Reader in = after_front(payload);
  sweep::Failure failure;
  failure.id = in.value<sweep::PointIndex>();
  failure.message = in.text();
  return failure;
}

}  // namespace echo::parallel
