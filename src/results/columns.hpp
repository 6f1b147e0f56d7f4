// The columns and groups of a result file. The tables themselves are generated from
// hdf5_schemas/results_v1.toml.
#pragma once

#include <cstdint>
#include <span>

#include "storage/hdf5.hpp"

namespace echo::results {

enum class Role : std::int8_t { scale, input, outcome, metric, breakdown };
[[nodiscard]] const char* name_of(Role);

// Source of the meanings of a coded column: fixed in the schema, or the names used by the sweep, sorted.
enum class Names : std::int8_t {
  none,
  fixed,
  models,
  clusters,
  gpus,
  frameworks,
  recipes,
  nics,
  switches,
  schedules,
  limits,
  rules
};

struct Filler;  // fill.hpp

struct Column {
  const char* path;  // "tp", "breakdown/mem"
  storage::ElementType type;
  Role role;
  const char* units;
  const char* long_name;
  const char* description;
  const char* dimension;  // second dimension's scale ("part", "mem_part"), or ""
  const char* objective;  // "min", "max", or "" where neither is better
  Names names;
  std::span<const char* const> meanings;  // of codes 0, 1, ... where names is `fixed`
  const Filler* filler;
};

[[nodiscard]] std::int64_t width_of(
    const Column&);  // values per row: 1, or the parts of its second dimension

// The content of a group that is not a column; stored as its `description`.
struct Group {
  const char *path, *description;  // "/pareto"
};

inline constexpr const char* schema_name = "echo-sweep-results";
[[nodiscard]] const char* schema_version();            // "1.2"
[[nodiscard]] std::span<const Column> column_table();  // schema order, which is the order of the digest
[[nodiscard]] std::span<const Group> group_table();

}  // namespace echo::results
