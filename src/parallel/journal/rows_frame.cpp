#include "parallel/journal/rows_frame.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "parallel/journal/journal_frames.hpp"

namespace echo::parallel {
namespace {

using sweep::Row;

// The fixed part of the index; runs follow, then the packed rows.
struct IndexHead {
  std::uint32_t rows = 0, runs = 0;
  std::array<std::int32_t, 5> by_status{};
  std::uint32_t reserved = 0;
  std::uint64_t first_config = 0, last_config = 0;
};
static_assert(sizeof(IndexHead) == 48 && sizeof(RowRun) == 16);

// A row as words of eight bytes. Neighbours in the space differ in few of them, rows that are not feasible
// hold little, and values come again after a few rows, when another axis has turned. A packed row is a bit
// for each word, set where it differs from the row before (the first row: from zeros), and for each such word
// a byte. Low four bits 0: the value is among the last eight new ones of this word, and the high four bits
// say at which place. Otherwise the middle of the difference follows: the high four bits are the zero bytes
// below it, the low four its bytes.
constexpr std::size_t words = sizeof(Row) / 8, mask_bytes = (words + 7) / 8;
static_assert(sizeof(Row) % 8 == 0 && std::endian::native == std::endian::little);
using Words = std::array<std::uint64_t, words>;

// The row before, and values of each word seen before it.
class History {
 public:
  Words before{};
  [[nodiscard]] const std::array<std::uint64_t, 8>& seen(std::size_t word) const { return seen_[word]; }
  // The place of a value; 8: it is not there.
  [[nodiscard]] std::size_t place_of(std::size_t word, std::uint64_t value) const {
    std::size_t place = 8;
    for (std::size_t i = 8; i-- > 0;) place = seen_[word][i] == value ? i : place;
    return place;
  }
  void add(std::size_t word, std::uint64_t value) { seen_[word][next_[word]++ % 8] = value; }

 private:
  std::array<std::array<std::uint64_t, 8>, words> seen_{};
  std::array<std::uint8_t, words> next_{};
};

// The room that a packed row may need, and eight bytes more that are written in passing.
constexpr std::size_t packed_room = mask_bytes + 9 * words + 8;

char* pack_row(const Words& row, History& history, char* out) {
  auto* const mask = reinterpret_cast<unsigned char*>(out);
  std::memset(out, 0, mask_bytes);
  out += mask_bytes;
  for (std::size_t word = 0; word < words; ++word) {
    const std::uint64_t difference = row[word] ^ history.before[word];
    if (difference == 0) continue;
    mask[word / 8] |= static_cast<unsigned char>(1u << (word % 8));
    if (const std::size_t place = history.place_of(word, row[word]); place < 8) {
      *out++ = static_cast<char>(place << 4);
      continue;
    }
    history.add(word, row[word]);
    const int below = std::countr_zero(difference) / 8;
    const int count = 8 - below - std::countl_zero(difference) / 8;
    *out++ = static_cast<char>(below << 4 | count);
    const std::uint64_t middle = difference >> (8 * below);
    std::memcpy(out, &middle, sizeof middle);
    out += count;
  }
  history.before = row;
  return out;
}

// False where the bytes end before the row does, or make no sense. The row is history.before then.
bool unpack_row(std::string_view& packed, History& history) {
  if (packed.size() < mask_bytes) return false;
  const std::string_view mask = packed.substr(0, mask_bytes);
  packed.remove_prefix(mask_bytes);
  for (std::size_t word = 0; word < words; ++word) {
    if ((static_cast<unsigned char>(mask[word / 8]) >> (word % 8) & 1) == 0) continue;
    if (packed.empty()) return false;
    const auto form = static_cast<unsigned char>(packed.front());
    const std::size_t high = form >> 4, count = form & 15U;
    packed.remove_prefix(1);
    if (count == 0 ? high >= 8 : high + count > 8 || packed.size() < count) return false;
    if (count == 0) {
      history.before[word] = history.seen(word)[high];
      continue;
    }
    std::uint64_t middle = 0;
    std::memcpy(&middle, packed.data(), count);
    packed.remove_prefix(count);
    history.before[word] ^= middle << (8 * high);
    history.add(word, history.before[word]);
  }
  return true;
}

RowsIndex index_of(std::span<const Row> rows) {
  RowsIndex index;
  index.first_config = rows.front().config_id;
  index.last_config = rows.back().config_id;
  for (const Row& row : rows) {
    ++index.by_status.at(at(row.report.status));
    const std::int32_t is_failed = row.report.status == training::Status::failed ? 1 : 0;
    RowRun* const last = index.runs.empty() ? nullptr : &index.runs.back();
    if (last != nullptr && last->first + last->count == row.id && last->is_failed == is_failed)
      ++last->count;
    else
      index.runs.push_back({row.id, 1, is_failed});
  }
  return index;
}

template <class T>
void put(std::span<const T> values, std::string& out) {
  out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

// Index and packed bytes of a payload that is long enough for both.
struct Parts {
  IndexHead head;
  std::string_view runs, packed;
};
std::optional<Parts> parts_of(std::string_view payload) {
  if (kind_of(payload) != FrameKind::rows || payload.size() < frame_front_bytes + sizeof(IndexHead))
    return std::nullopt;
  Parts parts;
  std::memcpy(&parts.head, payload.data() + frame_front_bytes, sizeof parts.head);
  const std::string_view rest = payload.substr(frame_front_bytes + sizeof parts.head);
  const std::size_t run_bytes = parts.head.runs * sizeof(RowRun);
  if (parts.head.rows == 0 || parts.head.rows > most_rows_in_frame || rest.size() < run_bytes)
    return std::nullopt;
  parts.runs = rest.substr(0, run_bytes);
  parts.packed = rest.substr(run_bytes);
  return parts;
}

}  // namespace

std::int64_t RowsIndex::rows() const {
  std::int64_t sum = 0;
  for (const RowRun& run : runs) sum += run.count;
  return sum;
}

std::string rows_payload(std::uint64_t key, std::span<const Row> rows) {
  ECHO_EXPECT(!rows.empty() && rows.size() <= most_rows_in_frame);
  const RowsIndex index = index_of(rows);
  const IndexHead head{.rows = static_cast<std::uint32_t>(rows.size()),
                       .runs = static_cast<std::uint32_t>(index.runs.size()),
                       .by_status = index.by_status,
                       .first_config = index.first_config,
                       .last_config = index.last_config};
  std::string out = frame_front(FrameKind::rows, key);
  put(std::span(&head, 1), out);
  put(std::span(index.runs), out);

  History history;
  for (const Row& row : rows) {
    const std::size_t start = out.size();
    out.resize(start + packed_room);
    Words now;
    std::memcpy(now.data(), static_cast<const void*>(&row), sizeof row);
    out.resize(static_cast<std::size_t>(pack_row(now, history, out.data() + start) - out.data()));
  }
  return out;
}

std::optional<RowsIndex> read_index(std::string_view payload) {
  const auto parts = parts_of(payload);
  if (!parts) return std::nullopt;
  const IndexHead& head = parts->head;
  RowsIndex index{std::vector<RowRun>(head.runs), head.by_status, head.first_config, head.last_config};
  if (head.runs > 0) std::memcpy(index.runs.data(), parts->runs.data(), parts->runs.size());
  std::int64_t by_status = 0;
  for (const std::int32_t count : index.by_status) {
    if (count < 0) return std::nullopt;
    by_status += count;
  }
  constexpr sweep::PointIndex largest = sweep::PointIndex{1} << 62;
  const bool has_garbage = std::ranges::any_of(
      index.runs, [](const RowRun& run) { return run.count <= 0 || run.first < 0 || run.first > largest; });
  if (has_garbage || index.rows() != head.rows || by_status != head.rows) return std::nullopt;
  return index;
}

bool unpack_rows(std::string_view payload, std::vector<Row>& rows) {
  const auto parts = parts_of(payload);
  if (!parts) return false;
  std::string_view packed = parts->packed;
  if (packed.size() / mask_bytes < parts->head.rows) return false;
  rows.resize(parts->head.rows);
  History history;
  for (Row& out : rows) {
    if (!unpack_row(packed, history)) return false;
    std::memcpy(static_cast<void*>(&out), history.before.data(), sizeof out);
  }
  return packed.empty();
}

}  // namespace echo::parallel
