// The digest of the rows of a file, which says that two files have the same ones, and how it is computed
// again.
#pragma once

#include <filesystem>
#include <string>

#include "base/digest.hpp"

namespace echo::results {

// Files before schema 1.13 (whole_columns_algorithm): XXH3-128 over the bytes of every column of the schema,
// one column after the other. Since then XXH3-128 over digests of 16 bytes: block after block of 16384 rows,
// the XXH3-128 of the bytes of each column of the schema in that block. So digests of parts can be made
// before all rows are known.
inline constexpr const char* rows_digest_algorithm = "XXH3-128 of XXH3-128 of columns of 16384 rows";
inline constexpr const char* whole_columns_algorithm = "XXH3-128";

// Recomputes the digest from the columns of a file, by the algorithm that the file names.
[[nodiscard]] std::string digest_of(const std::filesystem::path& file);

}  // namespace echo::results
