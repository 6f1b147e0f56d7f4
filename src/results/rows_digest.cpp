#include "results/rows_digest.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "results/columns.hpp"
#include "results/write/block.hpp"
#include "results/write/layout.hpp"
#include "storage/hdf5.hpp"

namespace echo::results {
namespace {

using storage::Hdf5File;

// A column of the schema that the file has: it may be older.
struct StoredColumn {
  std::string path;
  std::int64_t rows = 0;
  std::size_t row_bytes = 1;
};

std::vector<StoredColumn> columns_of(const Hdf5File& file) {
  std::vector<StoredColumn> columns;
  for (const Column& column : column_table()) {
    const std::string path = path_of(column);
    if (!file.has(path)) continue;
    const storage::Shape shape = file.shape(path);
    columns.push_back({path, static_cast<std::int64_t>(shape.at(0)),
                       std::accumulate(shape.begin() + 1, shape.end(), storage::size_of(file.type(path)),
                                       std::multiplies<>())});
  }
  return columns;
}

std::vector<std::byte> bytes_of(const Hdf5File& file, const StoredColumn& column, std::int64_t first) {
  const auto count = static_cast<std::uint64_t>(std::clamp<std::int64_t>(column.rows - first, 0, block_rows));
  std::vector<std::byte> bytes(count * column.row_bytes);
  file.read_rows(column.path, static_cast<std::uint64_t>(first), count, bytes.data());
  return bytes;
}

}  // namespace

std::string digest_of(const std::filesystem::path& path) {
  const Hdf5File file(path, Hdf5File::Mode::read);
  const auto columns = columns_of(file);
  Digest digest;
  const bool is_by_column = !file.has_attribute("/", "rows_digest_algorithm") ||
                            file.text_attribute("/", "rows_digest_algorithm") == whole_columns_algorithm;
  if (is_by_column) {
    for (const StoredColumn& column : columns)
      for (std::int64_t first = 0; first < column.rows; first += block_rows)
        digest.add(bytes_of(file, column, first));
    return digest.hex();
  }
  const std::int64_t rows = columns.empty() ? 0 : columns.front().rows;
  for (std::int64_t first = 0; first < rows; first += block_rows)
    for (const StoredColumn& column : columns) digest.add(hash128(bytes_of(file, column, first)));
  return digest.hex();
}

}  // namespace echo::results
