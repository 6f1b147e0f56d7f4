#include "storage/overlap_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/contract.hpp"
#include "base/memory_limit.hpp"
#include "ops/canonical_kernel.hpp"
#include "ops/kernel_fields.hpp"
#include "storage/overlap_values.hpp"
#include "storage/table_file.hpp"

namespace echo::storage {
namespace {

using slowdown::OverlapData;
using slowdown::OverlapOrigin;
using slowdown::OverlapRow;

constexpr std::string_view unknown = "unknown";
// As the schema lists them.
constexpr std::array<std::string OverlapRow::*, 2> kernel_texts{&OverlapRow::kernel, &OverlapRow::full_name};
constexpr std::array<std::string OverlapOrigin::*, 3> origin_texts{
    &OverlapOrigin::source, &OverlapOrigin::license, &OverlapOrigin::measured_by};

template <class Record, std::size_t count>
std::vector<std::string> texts_of(const Record& record,
                                  const std::array<std::string Record::*, count>& texts) {
  std::vector<std::string> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = record.*texts[i];
  return out;
}

// Each once, sorted.
template <class Value>
void tidy(std::vector<Value>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

template <class Value>
double place_among(const std::vector<Value>& sorted, const Value& value) {
  return static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
}

std::string word_of(const OverlapWord& word, const OverlapRow& row) {
  const std::string& text = word.get(row);
  return text.empty() && word.may_be_unknown ? std::string(unknown) : text;
}

std::vector<std::string> names_of(const OverlapWord& word, const OverlapData& data) {
  std::vector<std::string> names;
  for (const OverlapRow& row : data.rows) names.push_back(word_of(word, row));
  tidy(names);
  return names;
}

std::vector<double> values_of(const TableColumn& column, const OverlapData& data,
                              const TextRecords& kernels) {
  const std::string_view name(column.name);
  const OverlapField* field = overlap_field(name);
  const ops::KernelField* member = ops::kernel_field(name);
  const OverlapWord* word = overlap_word(name);
  const std::vector<std::string> names = word == nullptr ? std::vector<std::string>{} : names_of(*word, data);
  ECHO_EXPECT(field != nullptr || member != nullptr || word != nullptr || name == "kernel_name" ||
              name == "has_shape" || name == "slowdown");
  std::vector<double> values;
  for (const OverlapRow& row : data.rows)
    values.push_back(field != nullptr        ? field->get(row)
                     : member != nullptr     ? member->get(row.shape.value_or(ops::KernelKey{}))
                     : word != nullptr       ? place_among(names, word_of(*word, row))
                     : name == "kernel_name" ? place_among(kernels, texts_of(row, kernel_texts))
                     : name == "has_shape"   ? static_cast<double>(row.shape.has_value())
                                             : slowdown::slowdown_of(row));
  return values;
}

// Texts of a file about its rows, until all columns are read.
struct Columns {
  std::vector<OverlapRow> rows;
  std::vector<ops::KernelKey> shapes;                 // [row]
  std::vector<double> kernels, has_shape, slowdowns;  // [row]
};

void take_column(const TableColumn& column, const ColumnContent& content, Columns& out) {
  const std::string_view name(column.name);
  const OverlapField* field = overlap_field(name);
  const ops::KernelField* member = ops::kernel_field(name);
  const OverlapWord* word = overlap_word(name);
  out.rows.resize(content.values.size());
  out.shapes.resize(content.values.size());
  if (name == "kernel_name") out.kernels = content.values;
  if (name == "has_shape") out.has_shape = content.values;
  if (name == "slowdown") out.slowdowns = content.values;
  for (std::size_t row = 0; row < out.rows.size(); ++row) {
    const double value = content.values[row];
    if (field != nullptr) field->set(out.rows[row], value);
    if (member != nullptr) member->set(out.shapes[row], static_cast<std::int32_t>(value));
    if (word == nullptr) continue;
    const std::string& text = content.names[static_cast<std::size_t>(value)];
    word->set(out.rows[row], word->may_be_unknown && text == unknown ? "" : text);
  }
}

// Many rows of a crafted file may share one long text, of which each row has its own copy.
std::size_t bytes_of_names(const Columns& columns, const TextRecords& kernels) {
  std::size_t bytes = 0;
  for (const double kernel : columns.kernels)
    for (const std::string& text : kernels[static_cast<std::size_t>(kernel)]) bytes += text.size();
  return bytes;
}

// Another program may round differently on its way to the same value.
bool is_same(double stored, double derived) {
  constexpr double rounding = 1e-9;
  return std::abs(stored - derived) <= rounding * std::max(1.0, std::abs(derived));
}

}  // namespace

std::string write_overlaps(const std::filesystem::path& file, const OverlapData& data) {
  for (const OverlapRow& row : data.rows)
    ECHO_EXPECT(slowdown::why_unsound(row) == nullptr && row.origin >= 0 &&
                row.origin < std::ssize(data.origins));
  TextRecords kernels, origins;
  for (const OverlapRow& row : data.rows) kernels.push_back(texts_of(row, kernel_texts));
  tidy(kernels);
  for (const OverlapOrigin& origin : data.origins) origins.push_back(texts_of(origin, origin_texts));
  return write_table(
      file, overlap_schema(),
      {.rows = data.rows.size(),
       .values = [&](const TableColumn& column) { return values_of(column, data, kernels); },
       .names = [&](const TableColumn& column) { return names_of(*overlap_word(column.name), data); },
       .groups = {kernels, origins}});
}

static OverlapFile read_all(const std::filesystem::path& path) {
  Columns columns;
  TableContent content = read_table(
      path, overlap_schema(),
      [&](const TableColumn& column, const ColumnContent& read) { take_column(column, read, columns); });
  constexpr std::size_t most_bytes = std::size_t{1} << 30;
  if (bytes_of_names(columns, content.groups[0]) > most_bytes)
    refuse_table(path, overlap_schema(), "the names of its kernels exceed 1 GiB");
  OverlapData data;
  for (const auto& record : content.groups[1]) {
    OverlapOrigin& origin = data.origins.emplace_back();
    for (std::size_t text = 0; text < origin_texts.size(); ++text) origin.*origin_texts[text] = record[text];
  }
  data.rows = std::move(columns.rows);
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    OverlapRow& row = data.rows[i];
    const auto& texts = content.groups[0][static_cast<std::size_t>(columns.kernels[i])];
    for (std::size_t text = 0; text < kernel_texts.size(); ++text) row.*kernel_texts[text] = texts[text];
    if (columns.has_shape[i] != 0.0) row.shape = columns.shapes[i];
    const char* problem = slowdown::why_unsound(row);
    if (problem == nullptr && !is_same(columns.slowdowns[i], slowdown::slowdown_of(row)))
      problem = "the slowdown does not follow from the durations and the overlap ratio";
    if (problem != nullptr) refuse_table(path, overlap_schema(), "row " + std::to_string(i) + ": " + problem);
    if (row.shape) row.shape = ops::canonical(*row.shape);
  }
  return {std::move(data), std::move(content.digest)};
}

OverlapFile read_overlaps(const std::filesystem::path& path) {
  return within_memory(path.string(), [&] { return read_all(path); });
}

}  // namespace echo::storage
