#include "parallel/journal/rows_frame.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "parallel/journal/journal_frames.hpp"

namespace echo::parallel {
namespace {

using sweep::Row;

constexpr int fast = 2;                   // libdeflate's level; 1 is no faster here
constexpr std::size_t rows_in_tile = 64;  // transposed at once: they stay in the cache

// The fixed part of the index; runs follow, then the packed rows.
struct IndexHead {
  std::uint32_t rows = 0, runs = 0;
  std::array<std::int32_t, 5> by_status{};
  std::uint32_t reserved = 0;
  std::uint64_t first_config = 0, last_config = 0;
};
static_assert(sizeof(IndexHead) == 48 && sizeof(RowRun) == 16);

// What is compressed: the first row; a bit for each byte of a row, set where other rows have another value;
// then such bytes as planes, the same byte of every further row after the other.
constexpr std::size_t mask_bytes = (sizeof(Row) + 7) / 8;
constexpr std::size_t planes_at = sizeof(Row) + mask_bytes;

using Bytes = std::vector<unsigned char>;

// The places in a row that the mask names.
std::vector<std::size_t> places_of(const unsigned char* mask) {
  std::vector<std::size_t> places;
  for (std::size_t byte = 0; byte < sizeof(Row); ++byte)
    if ((mask[byte / 8] >> (byte % 8) & 1) != 0) places.push_back(byte);
  return places;
}

// Calls each(byte of a row, its place in the planes); tile by tile, so that rows and planes stay in the
// cache.
template <class Each>
void for_each_in_planes(std::size_t rows, const std::vector<std::size_t>& places, Each each) {
  for (std::size_t first = 1; first < rows; first += rows_in_tile) {
    const std::size_t end = std::min(rows, first + rows_in_tile);
    for (std::size_t plane = 0; plane < places.size(); ++plane)
      for (std::size_t row = first; row < end; ++row)
        each(row * sizeof(Row) + places[plane], planes_at + plane * (rows - 1) + row - 1);
  }
}

void to_planes(std::span<const Row> rows, Bytes& planes) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(rows.data());
  std::array<unsigned char, sizeof(Row)> differs{};
  for (std::size_t row = 1; row < rows.size(); ++row)
    for (std::size_t byte = 0; byte < sizeof(Row); ++byte)
      differs[byte] |= static_cast<unsigned char>(bytes[row * sizeof(Row) + byte] ^ bytes[byte]);
  planes.assign(planes_at, 0);
  std::copy_n(bytes, sizeof(Row), planes.begin());
  for (std::size_t byte = 0; byte < sizeof(Row); ++byte)
    if (differs[byte] != 0) planes[sizeof(Row) + byte / 8] |= static_cast<unsigned char>(1u << (byte % 8));
  const auto places = places_of(planes.data() + sizeof(Row));
  planes.resize(planes_at + places.size() * (rows.size() - 1));
  for_each_in_planes(rows.size(), places, [&](std::size_t at, std::size_t to) { planes[to] = bytes[at]; });
}

// False where the planes are not as many as the mask says.
bool from_planes(const Bytes& planes, std::vector<Row>& rows) {
  if (planes.size() < planes_at) return false;
  const auto places = places_of(planes.data() + sizeof(Row));
  if (planes.size() != planes_at + places.size() * (rows.size() - 1)) return false;
  auto* const bytes = reinterpret_cast<unsigned char*>(rows.data());
  for (std::size_t row = 0; row < rows.size(); ++row)
    std::copy_n(planes.begin(), sizeof(Row), bytes + row * sizeof(Row));
  for_each_in_planes(rows.size(), places,
                     [&](std::size_t at, std::size_t from) { bytes[at] = planes[from]; });
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

struct RowsPacker::State {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(fast);
  Bytes planes;
};

RowsPacker::RowsPacker() : state_(new State) {
  if (state_->compressor == nullptr) throw std::bad_alloc();
}

RowsPacker::~RowsPacker() { libdeflate_free_compressor(state_->compressor); }

std::string RowsPacker::payload(std::uint64_t key, std::span<const Row> rows) {
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

  to_planes(rows, state_->planes);
  const Bytes& planes = state_->planes;
  const std::size_t start = out.size();
  out.resize(start + libdeflate_zlib_compress_bound(state_->compressor, planes.size()));
  const std::size_t packed = libdeflate_zlib_compress(state_->compressor, planes.data(), planes.size(),
                                                      out.data() + start, out.size() - start);
  ECHO_EXPECT(packed > 0);
  out.resize(start + packed);
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
  Bytes planes(mask_bytes + parts->head.rows * sizeof(Row));  // the most there can be
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor) throw std::bad_alloc();
  std::size_t length = 0;  // it writes no more than there is room for, whatever the packed bytes say
  if (libdeflate_zlib_decompress(decompressor.get(), parts->packed.data(), parts->packed.size(),
                                 planes.data(), planes.size(), &length) != LIBDEFLATE_SUCCESS)
    return false;
  planes.resize(length);
  rows.resize(parts->head.rows);
  return from_planes(planes, rows);
}

}  // namespace echo::parallel
