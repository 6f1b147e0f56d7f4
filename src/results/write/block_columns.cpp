#include "results/write/block_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "results/rank/objectives.hpp"
#include "storage/chunk_filters.hpp"
#include "storage/with_type.hpp"

namespace echo::results {
namespace {

using storage::ElementType;
using storage::with_type;

template <class T>
T stored_as(std::int64_t value) {
  if constexpr (std::is_floating_point_v<T>) {
    ECHO_ENSURE(false);  // an integer filler meets no real column
    return T{};
  } else {
    ECHO_ENSURE(std::in_range<T>(value));
    return static_cast<T>(value);
  }
}

template <class T>
T stored_as(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(value);
  } else {
    ECHO_ENSURE(false);
    return T{};
  }
}

template <class T>
void store(T value, std::byte* to) {
  std::memcpy(to, &value, sizeof value);
}

}  // namespace

// Some rows, and where they go in the block.
struct BlockColumns::Tile {
  static constexpr std::size_t most = 32;
  std::span<const FinishedRow> rows;
  std::span<const Context> contexts;
  std::span<const std::size_t> places;
  struct Part {
    std::array<std::uint8_t, most> in_tile{};
    std::size_t count = 0;
    void add(std::size_t row) { in_tile[count++] = static_cast<std::uint8_t>(row); }
    [[nodiscard]] std::span<const std::uint8_t> all() const { return std::span(in_tile).first(count); }
  };
  std::array<Part, needs_count> with, without;  // [Needs]

  void split() {
    for (std::size_t what = 0; what < needs_count; ++what)
      for (std::size_t row = 0; row < contexts.size(); ++row)
        (fill::has(contexts[row], static_cast<Needs>(what)) ? with : without)[what].add(row);
  }
  // Calls own(row) for rows with a value of their own, and blank(row) for the others.
  template <class Own, class Blank>
  void for_rows(Needs needs, Own own, Blank blank) const {
    for (const std::size_t row : with[echo::at(needs)].all()) own(row);
    for (const std::size_t row : without[echo::at(needs)].all()) blank(row);
  }
};

BlockColumns::BlockColumns(const simulate::Catalog& catalog, const campaign::Terms& terms,
                           const FileState& state, const CodeTables* codes, std::int64_t held_wide_rows)
    : catalog_(catalog), terms_(terms), codes_(codes), held_wide_rows_(held_wide_rows) {
  static_assert(std::has_single_bit(static_cast<std::uint64_t>(block_rows)) &&
                std::has_single_bit(static_cast<std::uint64_t>(wide_chunk_rows)));
  ECHO_EXPECT(held_wide_rows == block_rows || held_wide_rows == wide_chunk_rows);
  contents.state = state;
  const std::int64_t most = state.ids > 0 ? std::min(block_rows, state.ids) : block_rows;
  for (const RowDataset& dataset : row_datasets()) {
    bytes_.emplace_back(dataset.row_bytes() * std::min(echo::at(most), mask_of(dataset) + 1));
    if (dataset.column == nullptr) continue;
    coded_.push_back(names_.size());
    const Column& column = *dataset.column;
    contents.columns.push_back(
        {.name = column.path, .role = name_of(column.role), .type = column.type, .width = dataset.width});
    if (names_a_table(column)) names_.emplace_back();
  }
}

void BlockColumns::start(std::int64_t first) {
  first_ = first;
  contents.rows = 0;
  for (auto& names : names_) names.clear();
}

// What of a row's place in the block is its place among those held.
std::size_t BlockColumns::mask_of(const RowDataset& dataset) const {
  return echo::at(dataset.width > 1 ? held_wide_rows_ : block_rows) - 1;
}

std::span<const std::byte> BlockColumns::bytes(std::size_t dataset, std::int64_t first,
                                               std::int64_t rows) const {
  const RowDataset& info = row_datasets()[dataset];
  return std::span(bytes_[dataset])
      .subspan((echo::at(first) & mask_of(info)) * info.row_bytes(), echo::at(rows) * info.row_bytes());
}

// Rows name the same things again and again, and few.
std::int64_t BlockColumns::ordinal(std::size_t coded, std::int64_t name) {
  auto& names = names_[coded];
  const auto found = std::ranges::find(names, static_cast<std::int32_t>(name));
  if (found == names.end()) names.push_back(static_cast<std::int32_t>(name));
  return std::ranges::find(names, static_cast<std::int32_t>(name)) - names.begin();
}

void BlockColumns::put_names(const Column& column, std::size_t coded, const Tile& tile, std::byte* out) {
  std::int64_t last = std::numeric_limits<std::int64_t>::min(), code = 0;
  for (std::size_t row = 0; row < tile.rows.size(); ++row) {
    const std::int64_t name = column.filler->integer(tile.contexts[row]);
    if (name != last)
      code = codes_ != nullptr ? codes_->code(column.names, name) : ordinal(coded, name), last = name;
    store(static_cast<std::int8_t>(code), out + tile.places[row]);
  }
}

void BlockColumns::put_column(std::size_t dataset, const Tile& tile) {
  const RowDataset& info = row_datasets()[dataset];
  const Filler& filler = *info.column->filler;
  std::byte* const out = bytes_[dataset].data();
  if (names_a_table(*info.column)) return put_names(*info.column, coded_[dataset], tile, out);
  const std::size_t width = echo::at(info.width), row_bytes = info.row_bytes(), mask = mask_of(info);
  const auto place_of = [&](std::size_t row) { return out + (tile.places[row] & mask) * row_bytes; };
  with_type(info.type, [&]<class T>(T) {
    const auto put_each = [&](auto value_of, auto blank) {
      const T other = stored_as<T>(blank);
      tile.for_rows(
          filler.needs,
          [&](std::size_t row) { store(stored_as<T>(value_of(tile.contexts[row])), place_of(row)); },
          [&](std::size_t row) { store(other, place_of(row)); });
    };
    if (filler.integer != nullptr) return put_each(filler.integer, filler.blank);
    if (filler.real != nullptr) return put_each(filler.real, fill::missing);
    std::array<double, time_category_count> parts{};
    const auto put_parts = [&](std::size_t row) {
      for (std::size_t i = 0; i < width; ++i) store(stored_as<T>(parts[i]), place_of(row) + i * sizeof(T));
    };
    tile.for_rows(
        filler.needs,
        [&](std::size_t row) { filler.parts(tile.contexts[row], parts.data()), put_parts(row); },
        [&](std::size_t row) { parts.fill(fill::missing), put_parts(row); });
  });
}

void BlockColumns::put_points(const Tile& tile) {
  const std::size_t points = row_datasets().size() - point_datasets;
  for (std::size_t row = 0; row < tile.rows.size(); ++row) {
    const std::size_t place = tile.places[row];
    const FinishedRow& from = tile.rows[row];
    store(static_cast<float>(from.row.seconds), bytes_[points].data() + place * sizeof(float));
    store(from.worker, bytes_[points + 1].data() + place * sizeof from.worker);
    store(from.launch, bytes_[points + 2].data() + place * sizeof from.launch);
    store(from.row.id, bytes_[points + 3].data() + place * sizeof from.row.id);
  }
}

// Some rows at a time, so that they stay in the cache from column to column.
void BlockColumns::put(std::span<const FinishedRow> rows, std::span<const std::int64_t> places) {
  ECHO_EXPECT(rows.size() == places.size());
  std::array<std::size_t, Tile::most> in_block{};
  while (!rows.empty()) {
    const std::size_t count = std::min(Tile::most, rows.size());
    contexts_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      in_block[i] = echo::at(places[i] - first_);
      contexts_.push_back({rows[i].row, catalog_, terms_, places[i]});
    }
    Tile tile{rows.first(count), contexts_, std::span(in_block).first(count), {}, {}};
    tile.split();
    for (std::size_t dataset = 0; dataset + point_datasets < bytes_.size(); ++dataset)
      put_column(dataset, tile);
    put_points(tile);
    rows = rows.subspan(count), places = places.subspan(count);
  }
}

void BlockColumns::put(std::size_t dataset, std::span<const std::byte> bytes,
                       std::span<const std::int64_t> places) {
  const std::size_t row_bytes = row_datasets()[dataset].row_bytes();
  const std::size_t mask = mask_of(row_datasets()[dataset]);
  ECHO_EXPECT(bytes.size() == places.size() * row_bytes);
  for (std::size_t i = 0; i < places.size(); ++i)
    std::memcpy(bytes_[dataset].data() + (echo::at(places[i] - first_) & mask) * row_bytes,
                bytes.data() + i * row_bytes, row_bytes);
}

namespace {

template <class Wanted>
void convert(const std::byte* from, ElementType type, std::size_t count, std::vector<Wanted>& out) {
  out.resize(count);
  with_type(type, [&]<class T>(T) {
    for (std::size_t i = 0; i < count; ++i) {
      T value{};
      std::memcpy(&value, from + i * sizeof value, sizeof value);
      out[i] = static_cast<Wanted>(value);
    }
  });
}

}  // namespace

void BlockColumns::read(const ColumnInfo& info, std::int64_t first, std::int64_t count,
                        std::vector<std::int64_t>& out) const {
  ECHO_EXPECT(!info.is_real());
  const auto dataset = echo::at(&info - contents.columns.data());
  convert(bytes(dataset, first, count).data(), info.type, echo::at(count * info.width), out);
}

void BlockColumns::read(const ColumnInfo& info, std::int64_t first, std::int64_t count,
                        std::vector<double>& out) const {
  const auto dataset = echo::at(&info - contents.columns.data());
  convert(bytes(dataset, first, count).data(), info.type, echo::at(count * info.width), out);
}

std::optional<double> BlockColumns::repeated(const ColumnInfo& info, std::int64_t first,
                                             std::int64_t count) const {
  const auto dataset = echo::at(&info - contents.columns.data());
  const auto values = bytes(dataset, first, count);
  if (!storage::is_repeated(values, storage::size_of(info.type))) return std::nullopt;
  std::vector<double> value;
  convert(values.data(), info.type, 1, value);
  return value.front();
}

RowFindings findings_of(const BlockColumns& block) {
  RowFindings found;
  std::vector<std::int64_t> status;
  block.read(block.at("status"), 0, block.rows(), status);
  for (const std::int64_t one : status) ++found.by_status.at(echo::at(one));
  const auto objectives = two_objectives(block.state().objectives);
  found.outline = outline_front(block, objectives[0], objectives[1]);
  for (ParetoPoint& point : found.outline.front) point.row += block.first();
  found.effects = effect_sums(block, objectives[0].metric);
  return found;
}

}  // namespace echo::results
