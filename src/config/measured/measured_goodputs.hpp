// Tables of published goodputs (effective training times): one training per row, with the cluster whose
// failures it had.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/csv.hpp"
#include "campaign/goodput.hpp"
#include "config/catalog/catalog_files.hpp"

namespace echo::config {

struct MeasuredGoodput {
  std::string run, preset;  // of reliability
  std::string kind;         // reported, at_least (the text gives a bound), derived (from its dates and steps)
  campaign::Reliability reliability;
  campaign::Job job;
  double goodput = 0.0;
  std::int32_t line = 0;
};

[[nodiscard]] bool is_goodput_table(const CsvTable&);
// The columns that such a table needs.
[[nodiscard]] std::string goodput_table_columns();

// One entry per row of the table, in its order. Columns: run, preset, gpus, gpus_per_node, kind, goodput;
// where the preset leaves it open or the run differs, checkpoint_bytes, checkpoint_every_s,
// checkpoint_write_s. Throws UserError with every problem of every row.
[[nodiscard]] std::vector<MeasuredGoodput> read_measured_goodputs(const CsvTable&, const CatalogInputs&);

}  // namespace echo::config
