#include "results/write/column_writer.hpp"

#include <cstring>
#include <span>

#include "results/write/layout.hpp"

namespace echo::results {
namespace {

template <class T, class Values>
void put(const Values& values, std::vector<std::byte>& out) {
  const std::vector<T> typed(values.begin(), values.end());
  out.resize(typed.size() * sizeof(T));
  if (!typed.empty()) std::memcpy(out.data(), typed.data(), out.size());
}

// Stores rows of `bytes` at `places`, less `first`.
void scatter(const std::vector<std::byte>& bytes, std::span<const std::int64_t> places, std::int64_t first,
             std::vector<std::byte>& out) {
  if (places.empty()) return;
  const std::size_t row_bytes = bytes.size() / places.size();
  for (std::size_t i = 0; i < places.size(); ++i)
    std::memcpy(out.data() + static_cast<std::size_t>(places[i] - first) * row_bytes,
                bytes.data() + i * row_bytes, row_bytes);
}

}  // namespace

ColumnWriter::ColumnWriter(storage::Hdf5File& file, const FileContext& context,
                           std::span<const CarriedFile> files, const std::vector<std::string>& layer_tables)
    : file_(file),
      context_(context),
      files_(files),
      carrier_(files, context.codes, layer_tables),
      digests_(column_table().size()) {}

// fresh_ and old_ in the order of the file.
const std::vector<std::byte>& ColumnWriter::woven(const MergedBatch& batch) {
  if (batch.carried.empty()) return fresh_;
  if (batch.fresh.empty()) return old_;
  woven_.resize(fresh_.size() + old_.size());
  scatter(fresh_, batch.fresh_places, batch.first, woven_);
  scatter(old_, batch.carried_places, batch.first, woven_);
  return woven_;
}

void ColumnWriter::write(const MergedBatch& batch) {
  const auto columns = column_table();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    column_bytes(column, batch.fresh, batch.fresh_places, context_, fresh_);
    if (!batch.carried.empty()) {
      if (column.role == Role::scale)
        put<std::int32_t>(batch.carried_places, old_);
      else
        carrier_.column_bytes(column, batch.carried, old_);
    }
    const auto& bytes = woven(batch);
    digests_[i].add(bytes);
    file_.write_rows(path_of(column), static_cast<std::uint64_t>(batch.first),
                     static_cast<std::uint64_t>(batch.size()), bytes.data());
  }
  write_points(batch);
}

// One dataset of /provenance/points: `fresh` of streamed rows, `old` of a carried row's own value.
template <class T, class Fresh, class Old>
void ColumnWriter::write_point(const char* path, const MergedBatch& batch, Fresh fresh, Old old) {
  std::vector<T> values;
  for (const FinishedRow& row : batch.fresh) values.push_back(static_cast<T>(fresh(row)));
  put<T>(values, fresh_);
  if (!batch.carried.empty()) {
    carrier_.plain_bytes(path, sizeof(T), batch.carried, old_);
    for (std::size_t i = 0; i < batch.carried.size(); ++i) {
      T value{};
      std::memcpy(&value, old_.data() + i * sizeof(T), sizeof(T));
      value = old(batch.carried[i], value);
      std::memcpy(old_.data() + i * sizeof(T), &value, sizeof(T));
    }
  }
  file_.write_rows(path, static_cast<std::uint64_t>(batch.first), static_cast<std::uint64_t>(batch.size()),
                   woven(batch).data());
}

void ColumnWriter::write_points(const MergedBatch& batch) {
  const auto as_it_was = [](const CarriedRow&, auto value) { return value; };
  write_point<float>(
      "/provenance/points/seconds", batch, [](const FinishedRow& f) { return f.row.seconds; }, as_it_was);
  write_point<std::int32_t>(
      "/provenance/points/worker", batch, [](const FinishedRow& f) { return f.worker; }, as_it_was);
  write_point<std::int32_t>(
      "/provenance/points/launch", batch, [](const FinishedRow& f) { return f.launch; },
      [this](const CarriedRow& row, std::int32_t launch) { return launch + files_[row.file].first_launch; });
  write_point<std::int64_t>(
      "/provenance/points/number", batch, [](const FinishedRow& f) { return f.row.id; },
      [](const CarriedRow& row, std::int64_t) { return row.number; });
}

std::vector<std::string> ColumnWriter::digests() const {
  std::vector<std::string> all;
  for (const Digest& digest : digests_) all.push_back(digest.hex());
  return all;
}

}  // namespace echo::results
