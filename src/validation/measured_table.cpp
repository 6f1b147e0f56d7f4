#include "validation/measured_table.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/problems.hpp"
#include "validation/steps/validate_steps.hpp"
#include "validation/validate_collectives.hpp"
#include "validation/validate_goodputs.hpp"
#include "validation/validate_kernels.hpp"

namespace echo::validation {

namespace {

// Tables that the program knows, by the columns their headers must name.
UserError no_known_table(const CsvTable& table) {
  std::string known =
      "a header names, among others,\n    step_time_s  (training steps)\n    " +
      config::collective_table_columns() +
      "  (collectives)\n    kShortName, ground_truth, duration, overlap_ratio  (slowdown)"
      "\n    row_kind, class, gpu, sm_count, ov_frac, comm_kind, comm_ctas, slowdown  (overlaps)\n    " +
      config::goodput_table_columns() + "  (goodputs)";
  for (const config::KernelTableForm& form : config::kernel_table_forms()) {
    std::string columns;
    for (const char* column : form.needs)
      if (column != nullptr) columns += (columns.empty() ? "" : ", ") + std::string(column);
    known += fmt::format("\n    {}  ({})", columns, form.name);
  }
  return UserError(
      {{table.header_place(), "this is not a table of measurements that can be validated", known}});
}

MeasuredTable read_table(const std::string& file, const config::CatalogInputs& presets) {
  const CsvTable table = CsvTable::read_file(file);
  const auto kernels = config::kernel_table_of(table);
  const bool is_steps = config::is_step_table(table), is_collectives = config::is_collective_table(table);
  const bool is_profile = slowdown::is_profile_table(table), is_goodputs = config::is_goodput_table(table);
  if (!is_steps && !is_collectives && !kernels && !is_profile && !is_goodputs &&
      !nsight::is_echo_table(table))
    throw no_known_table(table);
  if (table.rows() == 0)
    throw UserError(
        {{table.header_place(), "the table has a header but no rows", "add one measurement per line"}});
  if (is_steps) return {file, config::read_measured_steps(table, presets)};
  if (is_collectives) return {file, config::read_measured_collectives(table, presets)};
  if (kernels)
    return {file, MeasuredKernels{*kernels, config::read_measured_kernels(table, *kernels, presets)}};
  if (is_goodputs) return {file, config::read_measured_goodputs(table, presets)};
  if (is_profile) return {file, slowdown::read_profile_rows(table)};
  return {file, nsight::read_echo_table(table, "not-named")};  // nor does what is made of it look at a GPU
}

}  // namespace

std::vector<MeasuredTable> read_measured_tables(const std::vector<std::string>& files,
                                                const config::CatalogInputs& presets) {
  Problems problems;
  std::vector<MeasuredTable> out;
  for (const std::string& file : files) {
    try {
      out.push_back(read_table(file, presets));
    } catch (const UserError& error) {
      for (const Problem& p : error.problems())
        if (p.severity == Problem::Severity::error)
          problems.error(p.place, p.what, p.remedy);
        else
          problems.warning(p.place, p.what, p.remedy);
    }
  }
  problems.throw_if_any();
  return out;
}

ValidatedTable validate_table(const MeasuredTable& table, const config::CatalogInputs& presets,
                              const SlowdownChoice& choice, const std::string& slowdown,
                              const ValidateOptions& options) {
  if (const auto* steps = std::get_if<config::MeasuredSteps>(&table.rows))
    return validate_steps(*steps, table.file, presets.calibration, options);
  if (const auto* kernels = std::get_if<MeasuredKernels>(&table.rows))
    return validate_kernels(kernels->rows, kernels->kind, table.file, presets, options);
  if (const auto* collectives = std::get_if<std::vector<config::MeasuredCollectiveRow>>(&table.rows))
    return validate_collectives(*collectives, table.file, options);
  if (const auto* goodputs = std::get_if<std::vector<config::MeasuredGoodput>>(&table.rows))
    return validate_goodputs(*goodputs, table.file, options);
  if (const auto* profile = std::get_if<std::vector<slowdown::ProfileRow>>(&table.rows))
    return validate_profile(*profile, table.file, slowdown, presets, options);
  return validate_slowdown(std::get<nsight::EchoTable>(table.rows), table.file, choice, options);
}

}  // namespace echo::validation
