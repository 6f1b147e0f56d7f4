#include "results/write/block.hpp"

#include <algorithm>

#include "base/record.hpp"
#include "results/write/layout.hpp"

namespace echo::results {
namespace {

using storage::ElementType;

// Beyond it another part begins; a column is in one part.
constexpr std::size_t part_bytes = std::size_t{1} << 20;

void put_sums(const EffectSums& sums, std::string& out) {
  put_value(sums.all, out);
  put_value(sums.squares, out);
  put_value(static_cast<std::uint32_t>(sums.axes.size()), out);
  for (const auto& [axis, groups] : sums.axes) {
    put_text(axis, out);
    put_value(static_cast<std::uint32_t>(groups.size()), out);
    for (const auto& [value, group] : groups) put_value(value, out), put_value(group, out);
  }
}

EffectSums read_sums(RecordReader& in) {
  EffectSums sums;
  sums.all = in.value<EffectSums::Group>();
  sums.squares = in.value<EffectSums::Sum>();
  for (auto axes = in.value<std::uint32_t>(); axes > 0 && in.is_whole(); --axes) {
    auto& groups = sums.axes[in.text()];
    for (auto count = in.value<std::uint32_t>(); count > 0 && in.is_whole(); --count) {
      const auto value = in.value<double>();
      groups[value] = in.value<EffectSums::Group>();
    }
  }
  return sums;
}

std::vector<RowDataset> all_datasets() {
  std::vector<RowDataset> all;
  for (const Column& column : column_table())
    all.push_back({path_of(column), column.type, width_of(column), &column});
  const std::string points = "/provenance/points/";
  all.push_back({points + "seconds", ElementType::f4});
  all.push_back({points + "worker", ElementType::i4});
  all.push_back({points + "launch", ElementType::i4});
  all.push_back({points + "number", ElementType::i8});
  return all;
}

std::size_t coded_columns() {
  return static_cast<std::size_t>(std::ranges::count_if(column_table(), names_a_table));
}

}  // namespace

std::span<const RowDataset> row_datasets() {
  static const std::vector<RowDataset> all = all_datasets();
  return all;
}

// Columns go as they are put, so that the block is there once.
std::vector<std::string> parts_of(Block block) {
  std::vector<std::string> parts(1);
  for (PackedColumn& column : block.columns) {
    if (parts.size() == 1 || parts.back().size() + column.chunks.size() > part_bytes)
      parts.emplace_back().reserve(std::max(part_bytes, column.chunks.size()) + part_bytes / 16);
    put_value(column.digest, parts.back());
    put_values(column.sizes, parts.back());
    put_text(column.chunks, parts.back());
    column = {};
  }
  std::string& head = parts.front();
  put_value(static_cast<std::int32_t>(parts.size()), head);
  put_value(block.first, head), put_value(block.rows, head);
  put_value(block.findings.by_status, head);
  put_values(block.findings.outline.front, head);
  put_value(block.findings.outline.step_sigma, head), put_value(block.findings.outline.memory_sigma, head);
  put_values(block.findings.outline.least_cost, head);
  put_sums(block.findings.effects, head);
  for (const auto& names : block.names) put_values(names, head);
  return parts;
}

std::optional<BlockHead> read_head(std::string_view part) {
  RecordReader in(part);
  BlockHead head;
  Block& block = head.block;
  head.parts = in.value<std::int32_t>();
  block.first = in.value<std::int64_t>(), block.rows = in.value<std::int64_t>();
  block.findings.by_status = in.value<std::array<std::int64_t, 5>>();
  FrontOutline& outline = block.findings.outline;
  outline.front = in.values<ParetoPoint>();
  outline.step_sigma = in.value<double>(), outline.memory_sigma = in.value<double>();
  outline.least_cost = in.values<std::array<double, 2>>();
  block.findings.effects = read_sums(in);
  for (std::size_t i = 0; i < coded_columns(); ++i) block.names.push_back(in.values<std::int32_t>());
  const bool makes_sense = head.parts > 1 && block.first >= 0 && block.rows > 0 && block.rows <= block_rows;
  return in.is_whole() && in.is_over() && makes_sense ? std::optional(std::move(head)) : std::nullopt;
}

bool read_columns(std::string_view part, std::vector<PackedColumn>& columns) {
  RecordReader in(part);
  while (in.is_whole() && !in.is_over()) {
    PackedColumn column;
    column.digest = in.value<Hash128>();
    column.sizes = in.values<std::uint32_t>();
    column.chunks = in.text();
    std::size_t sum = 0;
    for (const std::uint32_t size : column.sizes) sum += size;
    if (!in.is_whole() || sum != column.chunks.size() || columns.size() == row_datasets().size())
      return false;
    columns.push_back(std::move(column));
  }
  return in.is_whole();
}

}  // namespace echo::results
