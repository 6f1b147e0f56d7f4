#include "results/write/block_writer.hpp"

#include <algorithm>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "results/rank/objectives.hpp"
#include "results/write/block_packer.hpp"

namespace echo::results {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

// Values of the schema's coded columns are small numbers, one byte each.
std::vector<std::byte> values_of(const RowDataset& dataset, std::int64_t rows, std::int64_t file_rows,
                                 const PackedColumn& column, storage::ChunkFilters& filters) {
  std::vector<std::byte> values(at(dataset.chunk_rows(file_rows)));
  ECHO_EXPECT(column.sizes.size() == 1 && dataset.row_bytes() == 1);
  const bool is_whole = filters.unpack(bytes_of(column.chunks), {1, true, false}, values);
  ECHO_ENSURE(is_whole);  // the record has a checksum
  values.resize(at(rows));
  return values;
}

}  // namespace

BlockWriter::BlockWriter(storage::Hdf5File& file, const CodeTables& codes, const FileHeader& header,
                         std::int64_t file_rows)
    : file_(file),
      codes_(codes),
      file_rows_(file_rows),
      front_(two_objectives(header.objectives)[0], two_objectives(header.objectives)[1]) {}

void BlockWriter::recode(const RowDataset& dataset, std::int64_t rows, std::span<const std::int8_t> codes,
                         PackedColumn& column) {
  std::vector<std::byte> values(at(rows), static_cast<std::byte>(codes.front()));
  if (codes.size() > 1) {
    values = values_of(dataset, rows, file_rows_, column, filters_);
    for (std::byte& value : values)
      value = static_cast<std::byte>(codes[std::to_integer<std::size_t>(value)]);
  }
  pack_column(dataset, values, file_rows_, filters_, column);
}

// Numbers that count a block's names become codes of the file, in values and in findings.
void BlockWriter::give_codes(Block& block) {
  std::size_t coded = 0;
  for (std::size_t i = 0; i < column_table().size() && !block.names.empty(); ++i) {
    const Column& column = column_table()[i];
    if (!names_a_table(column)) continue;
    std::vector<std::int8_t> codes;
    for (const std::int32_t name : block.names.at(coded)) codes.push_back(codes_.code(column.names, name));
    ++coded;
    bool is_same = true;
    for (std::size_t code = 0; code < codes.size(); ++code) is_same = is_same && at(codes[code]) == code;
    if (is_same) continue;
    recode(row_datasets()[i], block.rows, codes, block.columns[i]);
    const auto groups = block.findings.effects.axes.find(column.path);
    if (groups == block.findings.effects.axes.end()) continue;
    std::map<double, EffectSums::Group> by_code;
    for (const auto& [number, group] : groups->second)
      by_code[static_cast<double>(codes.at(static_cast<std::size_t>(number)))] = group;
    groups->second = std::move(by_code);
  }
}

void BlockWriter::add(const RowFindings& of_block) {
  for (std::size_t i = 0; i < of_block.by_status.size(); ++i) findings_.by_status[i] += of_block.by_status[i];
  const FrontOutline& from = of_block.outline;
  FrontOutline& to = findings_.outline;
  for (const ParetoPoint& point : from.front) front_.add(point);
  to.step_sigma = std::max(to.step_sigma, from.step_sigma);
  to.memory_sigma = std::max(to.memory_sigma, from.memory_sigma);
  to.least_cost.insert(to.least_cost.end(), from.least_cost.begin(), from.least_cost.end());
  findings_.effects.add(of_block.effects);
}

RowFindings BlockWriter::findings() const {
  RowFindings all = findings_;
  all.outline.front = front_.points();
  return all;
}

void BlockWriter::place(Block block) {
  give_codes(block);
  ECHO_EXPECT(block.columns.size() == row_datasets().size());
  for (std::size_t i = 0; i < block.columns.size(); ++i) {
    const RowDataset& dataset = row_datasets()[i];
    std::size_t from = 0;
    std::int64_t row = block.first;
    for (const std::uint32_t size : block.columns[i].sizes) {
      const auto stored = bytes_of(block.columns[i].chunks).subspan(from, size);
      file_.place_chunk(dataset.path, static_cast<std::uint64_t>(row), stored);
      stored_.add(stored);
      from += size, row += dataset.chunk_rows(file_rows_);
    }
  }
  for (const PackedColumn& column : std::span(block.columns).first(column_table().size()))
    digest_.add(column.digest);
  add(block.findings);
}

std::string stored_digest_of(const storage::Hdf5File& file, std::int64_t rows) {
  Digest digest;
  std::vector<std::byte> stored;
  for (std::int64_t first = 0; first < rows; first += block_rows)
    for (const RowDataset& dataset : row_datasets())
      for (std::int64_t row = first; row < std::min(rows, first + block_rows);
           row += dataset.chunk_rows(rows)) {
        file.stored_chunk(dataset.path, static_cast<std::uint64_t>(row), stored);
        digest.add(stored);
      }
  return digest.hex();
}

}  // namespace echo::results
