// Tables of measured collectives (nccl-tests rows as CSV) as queries to the collective models.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/csv.hpp"
#include "collective/constants_fit.hpp"
#include "config/catalog/catalog_files.hpp"

namespace echo::config {

struct MeasuredCollectiveRow {
  std::string gpu, network, collective;  // as in the table
  std::int32_t nodes = 1;                // machines, as the table counts them
  collective::MeasuredCollective measured;
  double seconds_in_place = 0.0;  // 0 = not measured
  bool one_process = false;       // drives several GPUs, as the note says: some 4 us each show in short times
  collective::NetworkConstants constants;  // those it is priced with; no name where there are none
  std::string assumed;                     // assumptions for missing facts; empty = none
  std::string skipped;                     // why it is not scored; empty = scored
  std::int32_t line = 0;
  [[nodiscard]] bool is_steady() const;      // in- and out-of-place times are within 25 %
  [[nodiscard]] bool shows_harness() const;  // one process, below 64 MiB: its few microseconds count
};

[[nodiscard]] bool is_collective_table(const CsvTable&);

// The columns that such a table has.
[[nodiscard]] std::string collective_table_columns();

// One entry per row of the table, in its order. Throws UserError where a cell is no number, or none such a
// thing can have.
[[nodiscard]] std::vector<MeasuredCollectiveRow> read_measured_collectives(const CsvTable&,
                                                                           const CatalogInputs&);

}  // namespace echo::config
