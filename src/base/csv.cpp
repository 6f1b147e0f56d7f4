#include "base/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "base/memory_limit.hpp"
#include "base/problems.hpp"

namespace echo {

namespace {

// Splits text into records of cells; remembers the line each record starts on, and where in its line each
// cell does (of a cell behind a line end within quotes: where in that line).
struct Records {
  std::vector<std::vector<std::string>> cells;
  std::vector<std::vector<std::int32_t>> start;
  std::vector<std::int32_t> line;
};

Records split(std::string_view text, const std::string& name) {
  Records out;
  std::vector<std::string> record(1);
  std::vector<std::int32_t> starts{1};
  bool quoted = false;
  std::int32_t line = 1, start = 1;
  std::size_t line_begin = 0;
  const auto close = [&] {
    if (record.size() > 1 || !record.front().empty()) {
      out.cells.push_back(record);
      out.start.push_back(starts);
      out.line.push_back(start);
    }
    record.assign(1, {});
    starts.assign(1, 1);
    start = line;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line, line_begin = i + 1;
    if (quoted) {
      if (c != '"') {
        record.back().push_back(c);
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        record.back().push_back(text[++i]);
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      record.emplace_back();
      starts.push_back(static_cast<std::int32_t>(i + 2 - line_begin));
    } else if (c == '\n') {
      close();
    } else if (c != '\r') {
      record.back().push_back(c);
    }
  }
  if (quoted)
    throw UserError({Problem{{name, start, 1, 1}, "a quoted cell is never closed", "add the missing quote"}});
  close();
  return out;
}

}  // namespace

CsvTable CsvTable::parse(std::string_view text, std::string name) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);  // byte order mark
  Records records = split(text, name);
  CsvTable table;
  table.name_ = std::move(name);
  if (records.cells.empty())
    throw UserError(
        {Problem{{table.name_, 1, 1, 1}, "the table is empty", "the first line names the columns"}});
  table.header_ = std::move(records.cells.front());
  table.header_start_ = std::move(records.start.front());
  Problems problems(table.name_, Problems::rows_of_a_table);
  for (std::size_t i = 1; i < records.cells.size(); ++i) {
    if (records.cells[i].size() != table.header_.size())
      problems.error_at(records.line[i], 1,
                        "the row has " + std::to_string(records.cells[i].size()) + " cells, the header " +
                            std::to_string(table.header_.size()),
                        "give every column a cell; quote cells that hold commas");
    table.cells_.push_back(std::move(records.cells[i]));
    table.start_.push_back(std::move(records.start[i]));
    table.line_.push_back(records.line[i]);
  }
  problems.throw_if_any();
  return table;
}

CsvTable CsvTable::read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw UserError("cannot read the table " + path, "check the path and its permissions");
  return within_memory(path,
                       [&] { return parse(std::string(std::istreambuf_iterator<char>(in), {}), path); });
}

std::int32_t CsvTable::find(std::string_view column) const {
  for (std::size_t i = 0; i < header_.size(); ++i)
    if (header_[i] == column) return static_cast<std::int32_t>(i);
  return -1;
}

std::string_view CsvTable::text(std::size_t row, std::string_view column) const {
  const std::int32_t i = find(column);
  return i < 0 ? std::string_view{} : std::string_view(cells_[row][static_cast<std::size_t>(i)]);
}

Place CsvTable::place(std::size_t row, std::string_view column) const {
  const std::int32_t i = find(column);
  if (i < 0) return place(row);
  const auto at = static_cast<std::size_t>(i);
  return {name_, line_[row], start_[row][at], std::max(1, static_cast<std::int32_t>(cells_[row][at].size()))};
}

Place CsvTable::header_place(std::string_view column) const {
  const std::int32_t i = find(column);
  if (i < 0) return header_place();
  const auto at = static_cast<std::size_t>(i);
  return {name_, 1, header_start_[at], std::max(1, static_cast<std::int32_t>(header_[at].size()))};
}

std::optional<double> CsvTable::number(std::size_t row, std::string_view column) const {
  const std::string_view cell = text(row, column);
  if (cell.empty()) return std::nullopt;
  double value = 0.0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
    throw UserError(
        {Problem{place(row, column),
                 "column " + std::string(column) + ": \"" + std::string(cell) + "\" is not a number",
                 "write a plain number, or leave the cell blank"}});
  return value;
}

std::optional<std::int32_t> CsvTable::integer(std::size_t row, std::string_view column) const {
  const std::optional<double> value = number(row, column);
  if (!value) return std::nullopt;
  if (*value != std::floor(*value) || std::abs(*value) > std::numeric_limits<std::int32_t>::max())
    throw UserError({Problem{place(row, column), "column " + std::string(column) + " must be a whole number",
                             "write an integer, or leave the cell blank"}});
  return static_cast<std::int32_t>(*value);
}

}  // namespace echo
