#include "query/text/row_export.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "query/rank/where.hpp"
#include "text/csv_cell.hpp"
#include "text/json.hpp"

namespace echo::query {

using results::ColumnInfo;
using results::ResultRows;

namespace {

// The values of one column over a batch; only one of the two vectors is filled.
struct Batch {
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
};

std::string label_of(const ColumnInfo& column, std::int64_t part) {
  return column.width == 1 ? column.name
                           : column.name + "/" + column.labels.at(static_cast<std::size_t>(part));
}

void add_number(const ColumnInfo& column, double value, std::string& out) {
  if (column.type == storage::ElementType::f4)
    fmt::format_to(std::back_inserter(out), "{}", static_cast<float>(value));
  else
    fmt::format_to(std::back_inserter(out), "{}", value);
}

// Formats one value; `quote` formats text.
template <class Quote>
void add_value(const ColumnInfo& column, const Batch& batch, std::size_t at, std::string_view missing,
               Quote quote, std::string& out) {
  if (column.is_real()) {
    if (std::isfinite(batch.reals[at]))
      add_number(column, batch.reals[at], out);
    else
      out += missing;
    return;
  }
  const std::int64_t value = batch.integers[at];
  if (column.name == "config_id") {
    out += quote(fmt::format("{:016x}", static_cast<std::uint64_t>(value)));
  } else if (!column.meanings.empty()) {
    out += quote(column.meanings.at(static_cast<std::size_t>(value)));
  } else {
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
}

void add_row(ExportFormat format, const std::vector<const ColumnInfo*>& columns,
             const std::vector<Batch>& batches, std::int64_t row, std::string& out) {
  const bool is_csv = format == ExportFormat::csv;
  bool first = true;
  if (!is_csv) out += '{';
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::int64_t part = 0; part < columns[c]->width; ++part) {
      if (!first) out += is_csv ? "," : ", ";
      first = false;
      const auto at = static_cast<std::size_t>(row * columns[c]->width + part);
      if (is_csv) {
        add_value(*columns[c], batches[c], at, "", text::csv_cell, out);
      } else {
        out += text::json_text(label_of(*columns[c], part)) + ": ";
        add_value(*columns[c], batches[c], at, "null", text::json_text, out);
      }
    }
  }
  out += is_csv ? "\n" : "}\n";
}

std::string header_of(const std::vector<const ColumnInfo*>& columns) {
  std::string line;
  for (const ColumnInfo* column : columns) {
    const std::string unit = column->units.empty() || column->units == "1" ? "" : "[" + column->units + "]";
    for (std::int64_t part = 0; part < column->width; ++part)
      line += (line.empty() ? "" : ",") + text::csv_cell(label_of(*column, part) + unit);
  }
  return line + "\n";
}

}  // namespace

std::int64_t export_rows(const ResultRows& rows, const ExportRequest& request,
                         const std::function<void(std::string_view)>& write) {
  std::vector<const ColumnInfo*> columns;
  for (const std::string& name : request.columns) columns.push_back(&rows.at(name));
  for (const ColumnInfo& column : rows.columns())
    if (request.columns.empty()) columns.push_back(&column);
  RowFilter filter(rows, request.where);
  if (request.format == ExportFormat::csv) write(header_of(columns));
  std::vector<Batch> batches(columns.size());
  std::int64_t written = 0;
  std::string lines;
  for (results::Scan scan(rows, filter.columns()); scan.next();) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c]->is_real())
        rows.read(*columns[c], scan.first(), scan.count(), batches[c].reals);
      else
        rows.read(*columns[c], scan.first(), scan.count(), batches[c].integers);
    }
    lines.clear();
    for (std::int64_t row = 0; row < scan.count(); ++row) {
      if (!filter.keeps(scan, 0, row)) continue;
      add_row(request.format, columns, batches, row, lines);
      ++written;
    }
    write(lines);
  }
  return written;
}

}  // namespace echo::query
