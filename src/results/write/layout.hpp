// Creates the empty datasets of a result file: shapes, chunks, scales, attributes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/code_tables.hpp"
#include "results/columns.hpp"
#include "results/file_header.hpp"
#include "storage/hdf5.hpp"
#include "sweep/spec.hpp"

namespace echo::results {

[[nodiscard]] inline std::string path_of(const Column& column) { return std::string("/") + column.path; }

// `objectives` mark their columns in place of the schema's own marks, where there are any.
void make_columns(storage::Hdf5File&, std::int64_t rows, const CodeTables&, const FileHeader& header);

// /rules: what the words of the column `rule` mean. Nothing in a file without rows.
void write_rules(storage::Hdf5File&, const CodeTables&);

// The schema's description of each group in the file.
void describe_groups(storage::Hdf5File&);

}  // namespace echo::results
