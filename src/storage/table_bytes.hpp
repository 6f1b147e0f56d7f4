// How tables on disk name their parts, and what their digest is of: each column's bytes and the text of its
// meanings, then the texts of each group, record by record. A text ends with a zero byte.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "storage/table_file.hpp"

namespace echo::storage {

[[nodiscard]] std::string path_of(const TableColumn&);                  // "/precision"
[[nodiscard]] std::string path_of(const TextGroup&, std::size_t text);  // "/origins/date"

// The names of codes 0, 1, ... as one text, and back.
[[nodiscard]] std::string meanings_text(const std::vector<std::string>& names);
[[nodiscard]] std::vector<std::string> names_in(const std::string& meanings);

void add_column(Digest&, const std::vector<std::byte>& bytes, const std::string& meanings);
void add_records(Digest&, const TextRecords&);

}  // namespace echo::storage
