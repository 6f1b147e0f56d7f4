#include "results/rank/row_errors.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "base/at.hpp"
#include "results/updated_file.hpp"

namespace echo::results {
namespace {

std::string column_of(std::size_t source) { return error_column(static_cast<ErrorSource>(source)); }
double known(double value) { return std::isfinite(value) ? value : 0.0; }

}  // namespace

std::string error_column(ErrorSource source) {
  return "error_" + std::string(error_source_names[index_of(source)]);
}

bool has_step_errors(const ResultRows& rows) {
  for (std::size_t k = 0; k < fitted_error_source_count; ++k)
    if (rows.find(column_of(k)) == nullptr) return false;
  return rows.find("rel_error") != nullptr && rows.find("rel_error_p90") != nullptr;
}

bool has_memory_errors(const ResultRows& rows) { return rows.find("mem_rel_error") != nullptr; }

// Brings the 90th percentile of a normal law of this sigma to where the calibration found it.
static double scale_of(double sigma, double p90) {
  return sigma > 0.0 && p90 > 0.0 ? p90 / (sigma * z90) : 1.0;
}

RowError error_of(const sweep::Row& row, const simulate::Catalog& catalog) {
  const training::TrainingConfig& config = row.config;
  const machine::GpuId gpu = config.gpu.is_none() ? catalog.cluster(config.cluster).gpu : config.gpu;
  RowError error;
  error.owner = {gpu.index(), config.cluster.index(), config.framework.index()};
  const double scale = scale_of(known(static_cast<double>(row.report.rel_error)),
                                known(static_cast<double>(row.report.rel_error_p90)));
  for (std::size_t k = 0; k < error.step.size(); ++k)
    error.step[k] = scale * known(static_cast<double>(row.report.error[k]));
  if (row.report.memory_peak.value > 0) error.memory = known(static_cast<double>(row.report.mem_rel_error));
  return error;
}

ErrorColumns::ErrorColumns(const ResultRows& rows)
    : has_step_(has_step_errors(rows)), has_memory_(has_memory_errors(rows)) {
  if (has_step_) {
    names_.assign(error_owner_names.begin(), std::prev(error_owner_names.end()));  // but for the config
    names_.insert(names_.end(), {"rel_error", "rel_error_p90"});
    for (std::size_t k = 0; k < error_source_names.size(); ++k)
      if (rows.find(column_of(k)) != nullptr) names_.push_back(column_of(k)), ++sources_;
  }
  if (has_memory_) names_.emplace_back("mem_rel_error");
  if (const ColumnInfo* explained = has_step_ ? rows.find(explained_column) : nullptr; explained != nullptr) {
    names_.emplace_back(explained_column);
    explained_ = static_cast<std::size_t>(explained->width);
    spread_ = rows.state().measured.spread;
  }
}

RowError ErrorColumns::at(const Scan& scan, std::size_t first_column, std::size_t row) const {
  RowError error;
  std::size_t column = first_column;
  const auto next = [&] { return scan.values(column++)[row]; };
  if (has_step_) {
    for (std::int32_t& owner : error.owner) owner = static_cast<std::int32_t>(next());
    const double sigma = known(next()), p90 = known(next());
    const double scale = scale_of(sigma, p90);
    for (std::size_t k = 0; k < sources_; ++k) error.step[k] = spread_ * scale * known(next());
  }
  if (has_memory_) error.memory = known(next());
  for (std::size_t run = 0; run < explained_; ++run)
    error.explained.push_back(spread_ * known(scan.values(column)[row * explained_ + run]));
  return error;
}

}  // namespace echo::results
