// Values of one column over a batch of rows, as the bytes the file stores: little-endian, every NaN the same
// NaN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "results/code_tables.hpp"
#include "results/columns.hpp"
#include "results/row_stream.hpp"
#include "simulate/catalog.hpp"

namespace echo::results {

[[nodiscard]] std::int64_t width_of(
    const Column&);  // values per row: 1, or the parts of its second dimension

// `first`: number of rows before this batch. Replaces `out`. A value the type cannot hold breaks a promise.
void column_bytes(const Column&, std::span<const FinishedRow>, std::int64_t first, const simulate::Catalog&,
                  const CodeTables&, std::vector<std::byte>& out);

}  // namespace echo::results
