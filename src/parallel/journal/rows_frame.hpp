// The payload of a frame of rows: [kind][key][an index][the rows, compressed]. The index is what a relaunch
// needs of every frame; the rows are unpacked only where they are assembled.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/run/row.hpp"

namespace echo::parallel {

inline constexpr std::size_t most_rows_in_frame = 4096;  // more are garbage: 4 MB in memory

// Rows with consecutive numbers; either all failed, or none.
struct RowRun {
  sweep::PointIndex first = 0;
  std::int32_t count = 0;
  std::int32_t is_failed = 0;
};

struct RowsIndex {
  std::vector<RowRun> runs;                         // in the order of the rows
  std::array<std::int32_t, 5> by_status{};          // [training::Status]
  std::uint64_t first_config = 0, last_config = 0;  // config_id of the first and the last row
  [[nodiscard]] std::int64_t rows() const;
};

// Contract: 1 to most_rows_in_frame rows. Each is stored as its difference from the one before: 0.1 us a row.
[[nodiscard]] std::string rows_payload(std::uint64_t key, std::span<const sweep::Row> rows);

// Nothing where the payload is not a frame of rows of this format.
[[nodiscard]] std::optional<RowsIndex> read_index(std::string_view payload);
// False where it is not, or the packed bytes are not as many rows as the index says.
[[nodiscard]] bool unpack_rows(std::string_view payload, std::vector<sweep::Row>& rows);

}  // namespace echo::parallel
