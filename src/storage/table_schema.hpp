// The schema of a table on disk: columns along one dimension, and groups of texts that columns index. The
// schemas themselves are generated from hdf5_schemas/.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "storage/hdf5.hpp"

namespace echo::storage {

struct TableColumn {
  const char* name;  // "precision"
  ElementType type;
  const char* role;  // "scale", "kernel", "measured"
  const char* units;
  const char* long_name;
  const char* description;
  std::span<const std::string_view> meanings;  // of codes 0, 1, ...; empty where not coded or named_in_file
  bool named_in_file;                          // coded, with names of one file's own
  const char* index_of;                        // the group whose records it counts; empty where none
  [[nodiscard]] bool is_coded() const { return named_in_file || !meanings.empty(); }
};

struct TextGroup {
  const char* name;  // "origins"
  const char* description;
  std::span<const std::string_view> texts;  // one dataset each, of equal length
};

struct TableSchema {
  const char* name;                      // "echo-sweep-profile"
  const char* version;                   // "1.0"
  const char* noun;                      // what messages call such a file
  const char* made_by;                   // the command that makes one
  std::uint64_t most_rows;               // of a file that is read
  std::span<const TableColumn> columns;  // in the order of the digest
  std::span<const TextGroup> groups;     // in the order of the digest, after the columns
};

[[nodiscard]] const TableSchema& profile_schema();  // hdf5_schemas/profile_v1.toml
[[nodiscard]] const TableSchema& overlap_schema();  // hdf5_schemas/overlap_v1.toml

}  // namespace echo::storage
