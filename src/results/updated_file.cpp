#include "results/updated_file.hpp"

#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "sweep/language/metric.hpp"

namespace echo::results {

namespace {

ColumnInfo row_values(const std::string& name, std::int64_t width) {
  ColumnInfo column;
  column.name = name;
  column.type = storage::ElementType::f8;
  column.width = width;
  return column;
}

// What exp(shift) does to a metric: 1, -1, or 0.
double slope_of(const std::string& column) {
  const sweep::Metric* metric = sweep::find_metric(column);
  if (metric == nullptr) return 0.0;
  return metric->error == sweep::ErrorLaw::step           ? 1.0
         : metric->error == sweep::ErrorLaw::inverse_step ? -1.0
                                                          : 0.0;
}

UserError not_as_written(const std::string& path) {
  return UserError("\"" + path + "\" is not as echo-sweep update writes it",
                   "update the file of predictions again", 5);
}

// Before anything is read into memory of this size.
void require_form(const storage::Hdf5File& file, const std::string& path, storage::ElementType type,
                  const storage::Shape& shape) {
  if (!file.has(path) || !file.is_dataset(path) || file.is_text(path) || file.type(path) != type ||
      file.shape(path) != shape)
    throw not_as_written(path);
}

template <class Value>
std::vector<Value> all_of(const storage::Hdf5File& file, const std::string& path, storage::ElementType type,
                          std::uint64_t count) {
  require_form(file, path, type, {count});
  std::vector<Value> values(count);
  file.read_rows(path, 0, count, values.data());
  return values;
}

}  // namespace

std::vector<RunOfRow> read_measured(const storage::Hdf5File& file) {
  using storage::ElementType;
  if (!file.has("/measured")) return {};
  const storage::Shape of_runs = file.shape("/measured/run");
  if (of_runs.size() != 1) throw not_as_written("/measured/run");
  const std::uint64_t count = of_runs.front(), all = file.shape("/config").front();
  const auto rows = all_of<std::int32_t>(file, "/measured/config", ElementType::i4, count),
             steps = all_of<std::int32_t>(file, "/measured/steps", ElementType::i4, count);
  const auto times = all_of<double>(file, "/measured/step_time", ElementType::f8, count);
  std::vector<RunOfRow> runs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || static_cast<std::uint64_t>(rows[i]) >= all || steps[i] < 1 || !(times[i] > 0.0))
      throw not_as_written("/measured");
    runs.push_back({rows[i], times[i], steps[i]});
  }
  return runs;
}

UpdatedFile::UpdatedFile(const std::filesystem::path& path) : ResultFile(path) {
  const std::int64_t runs = contents.state.measured.runs;
  if (runs == 0) return;
  const auto rows = static_cast<std::uint64_t>(contents.rows);
  for (const char* name : {"shift", "rel_error", "rel_error_p90"})
    require_form(file(), std::string("/measured/") + name, storage::ElementType::f8, {rows});
  require_form(file(), std::string("/") + explained_column, storage::ElementType::f8,
               {rows, static_cast<std::uint64_t>(runs)});
  ColumnInfo explained = row_values(explained_column, runs);
  for (std::int64_t run = 0; run < runs; ++run) explained.labels.push_back(std::to_string(run));
  contents.columns.push_back(std::move(explained));
}

std::vector<double> UpdatedFile::values_of(const std::string& column, std::int64_t first,
                                           std::int64_t count) const {
  std::vector<double> values;
  ResultFile::read(row_values("measured/" + column, 1), first, count, values);
  return values;
}

void UpdatedFile::read(const ColumnInfo& column, std::int64_t first, std::int64_t count,
                       std::vector<double>& out) const {
  if (contents.state.measured.runs > 0 && (column.name == "rel_error" || column.name == "rel_error_p90")) {
    out = values_of(column.name, first, count);
    return;
  }
  ResultFile::read(column, first, count, out);
  const double slope = slope_of(column.name);
  const bool is_p90 = column.name == "step_time_p90" || column.name == "train_time_p90";
  if (contents.state.measured.runs == 0 || (slope == 0.0 && !is_p90)) return;
  std::vector<double> exponent = values_of("shift", first, count);
  if (is_p90) {
    const std::vector<double> after = values_of("rel_error_p90", first, count);
    std::vector<double> before;
    ResultFile::read(at("rel_error_p90"), first, count, before);
    for (std::size_t i = 0; i < exponent.size(); ++i) exponent[i] += after[i] - before[i];
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] *= std::exp(is_p90 ? exponent[i] : slope * exponent[i]);
}

}  // namespace echo::results
