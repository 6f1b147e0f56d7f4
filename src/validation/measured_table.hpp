// Reads tables of measurements, recognised by the column names in their headers.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "config/catalog/catalog_files.hpp"
#include "config/measured/measured_collectives.hpp"
#include "config/measured/measured_goodputs.hpp"
#include "config/measured/measured_kernels.hpp"
#include "config/measured/measured_steps.hpp"
#include "nsight/echo_table.hpp"
#include "validation/validate_profile.hpp"
#include "validation/validate_slowdown.hpp"
#include "validation/validated_table.hpp"

namespace echo::validation {

struct MeasuredKernels {
  config::KernelTable kind;
  std::vector<config::MeasuredKernel> rows;
};

struct MeasuredTable {
  std::string file;
  std::variant<config::MeasuredSteps, MeasuredKernels, std::vector<config::MeasuredCollectiveRow>,
               nsight::EchoTable, std::vector<slowdown::ProfileRow>, std::vector<config::MeasuredGoodput>>
      rows;
  [[nodiscard]] bool is_steps() const { return std::holds_alternative<config::MeasuredSteps>(rows); }
  [[nodiscard]] bool is_profile() const {
    return std::holds_alternative<std::vector<slowdown::ProfileRow>>(rows);
  }
  [[nodiscard]] bool is_slowdown() const { return std::holds_alternative<nsight::EchoTable>(rows); }
  [[nodiscard]] std::vector<Problem> warnings() const {
    return is_steps() ? std::get<config::MeasuredSteps>(rows).warnings : std::vector<Problem>{};
  }
};

// UserError, 2, with every problem of every file: no table, none that is known, no row, cells that cannot be.
[[nodiscard]] std::vector<MeasuredTable> read_measured_tables(const std::vector<std::string>& files,
                                                              const config::CatalogInputs&);

// `choice` of tables of slowdown, `slowdown` as --slowdown has it of overlaps by profile; the calibration's
// own of steps. Collective.
[[nodiscard]] ValidatedTable validate_table(const MeasuredTable&, const config::CatalogInputs&,
                                            const SlowdownChoice& choice, const std::string& slowdown,
                                            const ValidateOptions&);

}  // namespace echo::validation
