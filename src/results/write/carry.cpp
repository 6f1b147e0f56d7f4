// Rows of a batch are scattered over the chunks of an older file. They are fetched chunk by chunk, each
// chunk read once per batch and column: rows that kept their order cost one read, and memory stays at one
// chunk whatever the order. (A space whose axes changed places costs up to chunks x batches reads.)
#include "results/write/carry.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "results/write/layout.hpp"

namespace echo::results {
namespace {

constexpr std::string_view layer_split = "layer_split";

// Positions in `rows`, by file and row.
std::vector<std::size_t> by_place(std::span<const CarriedRow> rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return rows[a].file != rows[b].file ? rows[a].file < rows[b].file : rows[a].row < rows[b].row;
  });
  return order;
}

}  // namespace

std::vector<CarriedRow> carried_rows(std::span<const CarriedFile> files) {
  std::vector<CarriedRow> rows;
  for (std::size_t f = 0; f < files.size(); ++f) {
    const OldRows& old = *files[f].rows;
    ECHO_EXPECT(files[f].numbers.empty() || files[f].numbers.size() == static_cast<std::size_t>(old.count()));
    for (std::int64_t row = 0; row < old.count(); ++row) {
      const auto number = files[f].numbers.empty() ? old.number(row) : files[f].numbers[at(row)];
      if (number >= 0)
        rows.push_back({number, static_cast<std::uint32_t>(f), static_cast<std::uint32_t>(row)});
    }
  }
  const auto before = [](const CarriedRow& a, const CarriedRow& b) {
    return a.number != b.number ? a.number < b.number : a.file < b.file;
  };
  if (!std::ranges::is_sorted(rows, before)) std::ranges::sort(rows, before);
  const auto repeated = std::unique(rows.begin(), rows.end(), [](const CarriedRow& a, const CarriedRow& b) {
    return a.number == b.number;
  });
  rows.erase(repeated, rows.end());
  return rows;
}

std::map<Names, std::set<std::string>> names_of(std::span<const CarriedFile> files,
                                                std::span<const CarriedRow> rows) {
  std::map<Names, std::set<std::string>> used;
  std::vector<std::byte> bytes;
  const CodeTables none({}, {}, {}, {});
  const std::vector<std::string> no_layers;
  const Carrier carrier(files, none, no_layers);
  for (const Column& column : column_table()) {
    if (!names_a_table(column) || column.names == Names::limits) continue;
    std::vector<std::set<std::byte>> codes(files.size());
    for (std::size_t first = 0; first < rows.size(); first += batch_rows) {
      const auto batch = rows.subspan(first, std::min<std::size_t>(batch_rows, rows.size() - first));
      carrier.plain_bytes(path_of(column), 1, batch, bytes);
      for (std::size_t i = 0; i < batch.size(); ++i) codes[batch[i].file].insert(bytes[i]);
    }
    for (std::size_t f = 0; f < files.size(); ++f) {
      const auto meanings = files[f].rows->meanings(column);
      for (const std::byte code : codes[f])
        used[column.names].insert(meanings.at(std::to_integer<std::size_t>(code)));
    }
  }
  return used;
}

void Carrier::plain_bytes(const std::string& path, std::size_t row_bytes, std::span<const CarriedRow> rows,
                          std::vector<std::byte>& out) const {
  out.resize(rows.size() * row_bytes);
  const auto order = by_place(rows);
  std::vector<std::byte> chunk;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const CarriedRow& first = rows[order[begin]];
    const auto is_near = [&](const CarriedRow& row) {
      return row.file == first.file && row.row / batch_rows == first.row / batch_rows;
    };
    for (end = begin; end < order.size() && is_near(rows[order[end]]);) ++end;
    const std::uint64_t count = rows[order[end - 1]].row - first.row + 1;
    chunk.resize(count * row_bytes);
    files_[first.file].rows->file().read_rows(path, first.row, count, chunk.data());
    for (std::size_t i = begin; i < end; ++i)
      std::memcpy(out.data() + order[i] * row_bytes,
                  chunk.data() + (rows[order[i]].row - first.row) * row_bytes, row_bytes);
  }
}

void Carrier::translate_codes(const Column& column, std::span<const CarriedRow> rows,
                              std::vector<std::byte>& bytes) const {
  std::vector<std::vector<std::string>> meanings;
  for (const CarriedFile& file : files_) meanings.push_back(file.rows->meanings(column));
  std::vector<std::map<std::byte, std::byte>> known(files_.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t f = rows[i].file;
    auto found = known[f].find(bytes[i]);
    if (found == known[f].end()) {
      const std::string& word = meanings[f].at(std::to_integer<std::size_t>(bytes[i]));
      found = known[f].emplace(bytes[i], static_cast<std::byte>(codes_.code(column.names, word))).first;
    }
    bytes[i] = found->second;
  }
}

void Carrier::translate_layers(const Column& column, std::span<const CarriedRow> rows,
                               std::vector<std::byte>& bytes) const {
  ECHO_EXPECT(column.type == storage::ElementType::i2);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& old_tables = files_[rows[i].file].rows->layer_tables();
    std::int16_t table = 0;
    std::memcpy(&table, bytes.data() + i * sizeof table, sizeof table);
    if (table < 0 || old_tables == layer_tables_) continue;
    const auto found = std::ranges::find(layer_tables_, old_tables.at(at(table)));
    ECHO_EXPECT(found != layer_tables_.end());
    table = static_cast<std::int16_t>(found - layer_tables_.begin());
    std::memcpy(bytes.data() + i * sizeof table, &table, sizeof table);
  }
}

void Carrier::column_bytes(const Column& column, std::span<const CarriedRow> rows,
                           std::vector<std::byte>& out) const {
  ECHO_EXPECT(column.role != Role::scale);
  plain_bytes(path_of(column), static_cast<std::size_t>(width_of(column)) * storage::size_of(column.type),
              rows, out);
  if (names_a_table(column)) translate_codes(column, rows, out);
  if (column.path == layer_split) translate_layers(column, rows, out);
}

// Launches have other numbers in the new file, and points may have.
void Carrier::point_bytes(const RowDataset& dataset, std::span<const CarriedRow> rows,
                          std::vector<std::byte>& out) const {
  plain_bytes(dataset.path, dataset.row_bytes(), rows, out);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::byte* const place = out.data() + i * dataset.row_bytes();
    if (dataset.path.ends_with("/number")) {
      std::memcpy(place, &rows[i].number, sizeof rows[i].number);
    } else if (dataset.path.ends_with("/launch")) {
      std::int32_t launch = 0;
      std::memcpy(&launch, place, sizeof launch);
      launch += files_[rows[i].file].first_launch;
      std::memcpy(place, &launch, sizeof launch);
    }
  }
}

}  // namespace echo::results
