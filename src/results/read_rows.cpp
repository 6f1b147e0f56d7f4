#include "results/read_rows.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>
#include <utility>

#include "base/contract.hpp"
#include "base/error.hpp"
#include "results/columns.hpp"
#include "storage/hdf5.hpp"

namespace echo::results {
namespace {

using storage::ElementType;
using storage::Hdf5File;

template <class Stored, class Wanted>
void convert(const Hdf5File& file, const std::string& path, std::size_t count, std::uint64_t rows,
             std::vector<Wanted>& out) {
  std::vector<Stored> stored(count);
  file.read_rows(path, 0, rows, stored.data());
  out.reserve(count);
  for (const Stored value : stored) out.push_back(static_cast<Wanted>(value));
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

std::string attribute(const Hdf5File& file, const std::string& path, const std::string& name) {
  return file.has_attribute(path, name) ? file.text_attribute(path, name) : std::string();
}

ColumnValues read_column(const Hdf5File& file, const std::string& path) {
  ColumnValues column;
  column.name = path.substr(1);
  column.role = attribute(file, path, "role");
  column.units = attribute(file, path, "units");
  column.long_name = attribute(file, path, "long_name");
  column.description = attribute(file, path, "description");
  const auto shape = file.shape(path);
  if (shape.size() > 1) column.width = static_cast<std::int64_t>(shape[1]);
  const auto count = static_cast<std::size_t>(shape.front()) * static_cast<std::size_t>(column.width);
  switch (file.type(path)) {
    case ElementType::i1:
      convert<std::int8_t>(file, path, count, shape.front(), column.integers);
      break;
    case ElementType::i2:
      convert<std::int16_t>(file, path, count, shape.front(), column.integers);
      break;
    case ElementType::i4:
      convert<std::int32_t>(file, path, count, shape.front(), column.integers);
      break;
    case ElementType::i8:
    case ElementType::u8:
      convert<std::int64_t>(file, path, count, shape.front(), column.integers);
      break;
    case ElementType::f4:
      convert<float>(file, path, count, shape.front(), column.reals);
      break;
    case ElementType::f8:
      convert<double>(file, path, count, shape.front(), column.reals);
      break;
  }
  if (file.has_attribute(path, "flag_values")) {
    column.codes = file.codes_attribute(path, "flag_values");
    column.meanings = words(file.text_attribute(path, "flag_meanings"));
  }
  return column;
}

UserError not_ours(const std::filesystem::path& path) {
  return UserError("\"" + path.string() + "\" is not a result file of this program",
                   "give the .h5 file that a sweep wrote", 2);
}

Hdf5File open_result(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path))
    throw UserError("there is no file \"" + path.string() + "\"", "give the .h5 file that a sweep wrote", 2);
  try {
    Hdf5File file(path, Hdf5File::Mode::read);
    if (attribute(file, "/", "schema") == schema_name) return file;
  } catch (const UserError&) {
    throw not_ours(path);
  }
  throw not_ours(path);
}

}  // namespace

Table::Table(std::vector<ColumnValues> columns) : columns_(std::move(columns)) {
  for (const ColumnValues& column : columns_)
    if (column.name == "config") rows_ = static_cast<std::int64_t>(column.integers.size());
}

const ColumnValues* Table::find(std::string_view name) const {
  for (const ColumnValues& column : columns_)
    if (column.name == name) return &column;
  return nullptr;
}

const ColumnValues& Table::at(std::string_view name) const {
  const ColumnValues* found = find(name);
  if (found == nullptr)
    throw UserError("the file has no column \"" + std::string(name) + "\"",
                    "it was written by another version", 2);
  return *found;
}

double Table::number(std::string_view name, std::int64_t row) const {
  const ColumnValues& column = at(name);
  const auto i = static_cast<std::size_t>(row);
  return column.reals.empty() ? static_cast<double>(column.integers.at(i)) : column.reals.at(i);
}

std::int64_t Table::integer(std::string_view name, std::int64_t row) const {
  return at(name).integers.at(static_cast<std::size_t>(row));
}

std::string Table::text(std::string_view name, std::int64_t row) const {
  const ColumnValues& column = at(name);
  const std::int64_t code = column.integers.at(static_cast<std::size_t>(row));
  for (std::size_t i = 0; i < column.codes.size() && i < column.meanings.size(); ++i)
    if (column.codes[i] == code) return column.meanings[i];
  return std::to_string(code);
}

double Table::part(std::string_view name, std::int64_t row, std::string_view label) const {
  const ColumnValues& column = at(name);
  for (std::size_t i = 0; i < column.labels.size(); ++i)
    if (column.labels[i] == label) return column.reals.at(static_cast<std::size_t>(row * column.width) + i);
  return std::numeric_limits<double>::quiet_NaN();
}

std::uint64_t Table::config_id(std::int64_t row) const {
  return static_cast<std::uint64_t>(integer("config_id", row));
}

std::optional<std::int64_t> Table::row_of(std::string_view prefix) const {
  std::optional<std::int64_t> found;
  for (std::int64_t row = 0; row < rows_; ++row) {
    char id[17];
    std::snprintf(id, sizeof id, "%016llx", static_cast<unsigned long long>(config_id(row)));
    if (!std::string_view(id).starts_with(prefix)) continue;
    if (found) return std::nullopt;
    found = row;
  }
  return found;
}

Table read_rows(const std::filesystem::path& path) {
  const Hdf5File file = open_result(path);
  std::vector<ColumnValues> columns;
  for (const std::string& column : file.datasets("/")) columns.push_back(read_column(file, column));
  for (const std::string& column : file.datasets("/breakdown")) {
    if (file.is_text(column)) continue;
    columns.push_back(read_column(file, column));
    columns.back().labels =
        file.texts(columns.back().name == "breakdown/mem" ? "/breakdown/mem_part" : "/breakdown/part");
  }
  return Table(std::move(columns));
}

std::string read_text(const std::filesystem::path& path, const std::string& dataset) {
  return open_result(path).text("/" + dataset);
}

}  // namespace echo::results
