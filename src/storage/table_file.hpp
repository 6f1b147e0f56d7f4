// Tables on disk: one dataset per column, groups of texts, a digest over all of it and a seal over
// the file. What the columns mean is the business of whoever calls.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "storage/table_schema.hpp"

namespace echo::storage {

using TextRecords = std::vector<std::vector<std::string>>;  // [record][text of the group]

// A whole table, to be written.
struct TableSource {
  std::size_t rows = 0;
  // [row]; NaN = none, in real columns only. Not asked for the scale.
  std::function<std::vector<double>(const TableColumn&)> values;
  std::function<std::vector<std::string>(const TableColumn&)> names;  // of a column that is named in the file
  std::vector<TextRecords> groups;                                    // as in the schema
};
// A whole file or none, equal bytes for equal content. Returns the digest (hex). UserError, 2: a column needs
// more than 127 names; 5: it cannot be written. Precondition: names hold no blanks, texts no zero bytes.
std::string write_table(const std::filesystem::path&, const TableSchema&, const TableSource&);

// A column as it was read. Codes of fixed meanings are those of the schema, whatever the file calls 0, 1, ...
struct ColumnContent {
  std::vector<double> values;      // [row]
  std::vector<std::string> names;  // of the codes of a column that is named in the file
};
struct TableContent {
  std::size_t rows = 0;
  std::vector<TextRecords> groups;  // as in the schema
  std::string digest;               // hex
};
// Gives each column, in the order of the schema, to `take`; codes and indices are in range. What `take` was
// given counts only once this returns: the digest is checked last. UserError, 2: no such file, no such table,
// of a later version, damaged.
[[nodiscard]] TableContent read_table(
    const std::filesystem::path&, const TableSchema&,
    const std::function<void(const TableColumn&, const ColumnContent&)>& take);

// The same error for what the caller finds wrong.
[[noreturn]] void refuse_table(const std::filesystem::path&, const TableSchema&, const std::string& why);

}  // namespace echo::storage
