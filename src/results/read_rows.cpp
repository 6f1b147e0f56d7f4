#include "results/read_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>
#include <type_traits>
#include <utility>

#include "base/contract.hpp"
#include "base/error.hpp"
#include "results/columns.hpp"
#include "storage/with_type.hpp"

namespace echo::results {
namespace {

using storage::ElementType;
using storage::Hdf5File;
using storage::with_type;

template <class Wanted>
void read_as(const Hdf5File& file, const ColumnInfo& column, std::int64_t first, std::int64_t rows,
             std::vector<Wanted>& out) {
  const std::string path = "/" + column.name;
  const auto read_into = [&](auto& values) {
    values.resize(static_cast<std::size_t>(rows * column.width));
    file.read_rows(path, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(rows), values.data());
  };
  with_type(column.type, [&]<class Stored>(Stored) {
    if constexpr (std::is_same_v<Stored, Wanted>) return read_into(out);
    std::vector<Stored> stored;
    read_into(stored);
    out.assign(stored.begin(), stored.end());
  });
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

ColumnInfo column_info(const Hdf5File& file, const std::string& path) {
  const auto attributes = file.text_attributes(path);
  const auto attribute = [&](const char* name) {
    const auto found = attributes.find(name);
    return found == attributes.end() ? std::string() : found->second;
  };
  ColumnInfo column{.name = path.substr(1),
                    .role = attribute("role"),
                    .units = attribute("units"),
                    .long_name = attribute("long_name"),
                    .description = attribute("description"),
                    .type = file.type(path),
                    .meanings = words(attribute("flag_meanings"))};
  const auto shape = file.shape(path);
  if (shape.size() > 2)
    throw UserError("\"" + path + "\" has more than two dimensions", "restore the file from a copy", 5);
  if (shape.size() == 2) column.width = static_cast<std::int64_t>(shape[1]);
  return column;
}

// The names of the parts that the columns of /breakdown list.
void name_parts(const Hdf5File& file, std::vector<ColumnInfo>& columns) {
  std::map<std::string, std::vector<std::string>> known;
  for (ColumnInfo& column : columns) {
    if (column.width == 1) continue;
    const std::string path = column.name == "breakdown/mem" ? "/breakdown/mem_part" : "/breakdown/part";
    const auto [labels, is_new] = known.try_emplace(path);
    if (is_new) labels->second = file.texts(path);
    column.labels = labels->second;
  }
}

UserError not_ours(const std::filesystem::path& path) {
  return UserError("\"" + path.string() + "\" is not a result file of this program",
                   "give the .h5 file written by a sweep", 5);
}

Hdf5File open_result(const std::filesystem::path& path) {
  (void)existing(path);
  Hdf5File file(path, Hdf5File::Mode::read);
  if (!file.has_attribute("/", "schema") || file.text_attribute("/", "schema") != schema_name)
    throw not_ours(path);
  return file;
}

}  // namespace

const ColumnInfo* ResultRows::find(std::string_view name) const {
  const auto found = std::ranges::find(contents.columns, name, &ColumnInfo::name);
  return found == contents.columns.end() ? nullptr : &*found;
}

const ColumnInfo& ResultRows::at(std::string_view name) const {
  const ColumnInfo* found = find(name);
  if (found == nullptr)
    throw UserError("the file has no column \"" + std::string(name) + "\"",
                    "echo-sweep describe FILE lists its columns", 2);
  return *found;
}

namespace {

// Rows of one column in the order asked for; those of one chunk are read at once.
template <class Value>
std::vector<Value> gather(const ResultRows& source, const ColumnInfo& info,
                          std::span<const std::int64_t> rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rows[i]; });
  const auto width = static_cast<std::size_t>(info.width);
  std::vector<Value> out(rows.size() * width), stretch;
  for (std::size_t from = 0, to = 0; from < order.size(); from = to) {
    const std::int64_t first = rows[order[from]], chunk = first / scan_rows;
    while (to < order.size() && rows[order[to]] / scan_rows == chunk) ++to;
    source.read(info, first, rows[order[to - 1]] - first + 1, stretch);
    for (std::size_t i = from; i < to; ++i)
      std::copy_n(stretch.begin() + (rows[order[i]] - first) * info.width, width,
                  out.begin() + static_cast<std::ptrdiff_t>(order[i] * width));
  }
  return out;
}

// The columns of which `is_wanted` is true.
template <class Wanted>
std::vector<ColumnValues> gather_all(const ResultRows& source, std::span<const std::int64_t> rows,
                                     Wanted is_wanted) {
  std::vector<ColumnValues> columns;
  for (const ColumnInfo& info : source.columns()) {
    if (!is_wanted(info)) continue;
    ColumnValues column{info, {}, {}};
    if (info.is_real())
      column.reals = gather<double>(source, info, rows);
    else
      column.integers = gather<std::int64_t>(source, info, rows);
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace

Table ResultRows::pick(std::span<const std::int64_t> rows) const {
  return Table(gather_all(*this, rows, [](const ColumnInfo&) { return true; }), contents.state,
               contents.failures);
}

Table ResultRows::pick_configs(std::span<const std::int64_t> rows) const {
  const auto is_wanted = [](const ColumnInfo& info) {
    return info.role == name_of(Role::input) || info.name == "config_id";
  };
  return Table(gather_all(*this, rows, is_wanted), contents.state, contents.failures);
}

std::optional<std::int64_t> ResultRows::row_of(std::string_view prefix) const {
  std::optional<std::int64_t> found;
  std::vector<std::int64_t> ids;
  for (std::int64_t first = 0; first < contents.rows; first += scan_rows) {
    read(at("config_id"), first, std::min(scan_rows, contents.rows - first), ids);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      char id[17];
      std::snprintf(id, sizeof id, "%016llx", static_cast<unsigned long long>(ids[i]));
      if (!std::string_view(id).starts_with(prefix)) continue;
      if (found) return std::nullopt;
      found = first + static_cast<std::int64_t>(i);
    }
  }
  return found;
}

Table::Table(std::vector<ColumnValues> columns, FileState state, std::vector<Failure> failures)
    : values_(std::move(columns)) {
  contents.state = std::move(state);
  contents.failures = std::move(failures);
  for (ColumnValues& column : values_) {
    if (!column.reals.empty() && !column.is_real()) column.type = ElementType::f8;
    contents.columns.push_back(column);
    const auto count = std::max(std::ssize(column.integers), std::ssize(column.reals));
    contents.rows = static_cast<std::int64_t>(count) / column.width;
  }
}

const ColumnValues& Table::values(std::string_view name) const {
  return values_[static_cast<std::size_t>(&at(name) - contents.columns.data())];
}

void Table::read(const ColumnInfo& info, std::int64_t first, std::int64_t count,
                 std::vector<std::int64_t>& out) const {
  const auto& all = values(info.name).integers;
  out.assign(all.begin() + first * info.width, all.begin() + (first + count) * info.width);
}

void Table::read(const ColumnInfo& info, std::int64_t first, std::int64_t count,
                 std::vector<double>& out) const {
  const ColumnValues& column = values(info.name);
  out.clear();
  for (std::int64_t i = first * info.width; i < (first + count) * info.width; ++i) {
    const auto at = static_cast<std::size_t>(i);
    out.push_back(info.is_real() ? column.reals.at(at) : static_cast<double>(column.integers.at(at)));
  }
}

double Table::number(std::string_view name, std::int64_t row) const {
  const ColumnValues& column = values(name);
  const auto i = static_cast<std::size_t>(row);
  return column.is_real() ? column.reals.at(i) : static_cast<double>(column.integers.at(i));
}

std::int64_t Table::integer(std::string_view name, std::int64_t row) const {
  return values(name).integers.at(static_cast<std::size_t>(row));
}

std::string Table::text(std::string_view name, std::int64_t row) const {
  const ColumnValues& column = values(name);
  const auto code = static_cast<std::size_t>(column.integers.at(static_cast<std::size_t>(row)));
  return code < column.meanings.size() ? column.meanings[code] : std::to_string(code);
}

double Table::part(std::string_view name, std::int64_t row, std::string_view label) const {
  const ColumnValues& column = values(name);
  for (std::size_t i = 0; i < column.labels.size(); ++i)
    if (column.labels[i] == label) return column.reals.at(static_cast<std::size_t>(row * column.width) + i);
  return std::numeric_limits<double>::quiet_NaN();
}

std::uint64_t Table::config_id(std::int64_t row) const {
  return static_cast<std::uint64_t>(integer("config_id", row));
}

ResultFile::ResultFile(const std::filesystem::path& path) : file_(open_result(path)) {
  contents.state = read_state(file_, path);
  contents.failures = read_failures(file_);
  for (const std::string& column : file_.datasets("/"))
    contents.columns.push_back(column_info(file_, column));
  for (const std::string& column : file_.datasets("/breakdown"))
    if (!file_.is_text(column)) contents.columns.push_back(column_info(file_, column));
  name_parts(file_, contents.columns);
  contents.rows = contents.state.rows;
}

void ResultFile::read(const ColumnInfo& column, std::int64_t first, std::int64_t count,
                      std::vector<std::int64_t>& out) const {
  ECHO_EXPECT(!column.is_real());
  read_as(file_, column, first, count, out);
}

void ResultFile::read(const ColumnInfo& column, std::int64_t first, std::int64_t count,
                      std::vector<double>& out) const {
  read_as(file_, column, first, count, out);
}

std::optional<double> ResultFile::repeated(const ColumnInfo& column, std::int64_t first,
                                           std::int64_t count) const {
  const auto element =
      file_.repeated("/" + column.name, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count));
  if (!element) return std::nullopt;
  return with_type(column.type, [&]<class Stored>(Stored value) {
    std::memcpy(&value, &*element, sizeof value);
    return static_cast<double>(value);
  });
}

Scan::Scan(const ResultRows& rows, std::span<const std::string> columns, std::int64_t start)
    : rows_(rows), first_(start) {
  for (const std::string& name : columns) columns_.push_back({.info = &rows.at(name)});
}

bool Scan::next() {
  first_ += count_;
  count_ = std::min(scan_rows, rows_.rows() - first_);
  return count_ > 0;
}

void Scan::look(Column& column) const {
  if (column.looked_at == first_) return;
  column.repeated = rows_.repeated(*column.info, first_, count_);
  column.looked_at = first_;
}

void Scan::read(Column& column) const {
  look(column);
  column.first = first_;
  const auto before = std::exchange(column.filled, column.repeated);
  if (!column.repeated) return rows_.read(*column.info, first_, count_, column.values);
  const auto values = static_cast<std::size_t>(count_ * column.info->width);
  const bool is_filled = before && column.values.size() == values &&
                         std::memcmp(&*before, &*column.repeated, sizeof *before) == 0;
  if (!is_filled) column.values.assign(values, *column.repeated);
}

}  // namespace echo::results
