// Values of one column over a batch of rows, as the bytes the file stores: little-endian, every NaN the same
// NaN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "campaign/terms.hpp"
#include "results/code_tables.hpp"
#include "results/columns.hpp"
#include "results/write/row_stream.hpp"
#include "simulate/catalog.hpp"

namespace echo::results {

[[nodiscard]] std::int64_t width_of(
    const Column&);  // values per row: 1, or the parts of its second dimension

// The properties common to the rows of one file.
struct FileContext {
  const simulate::Catalog& catalog;
  const CodeTables& codes;
  const campaign::Terms& terms;
};

// `places`: of each row in the file. Replaces `out`. A value the type cannot hold breaks a promise.
void column_bytes(const Column&, std::span<const FinishedRow>, std::span<const std::int64_t> places,
                  const FileContext&, std::vector<std::byte>& out);

}  // namespace echo::results
