// Whole rows of a column. Chunks in the form that we write are packed and unpacked here (chunk_filters.hpp)
// and handed to HDF5 as the bytes that it stores; whatever else a file holds goes through HDF5's own filters.
#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "storage/chunk_filters.hpp"
#include "storage/file_bytes.hpp"
#include "storage/hdf5.hpp"
#include "storage/hdf5_handle.hpp"

namespace echo::storage {
namespace {

// The rows [first, first + rows) of a dataset: its selection in the file and the matching block in memory.
struct Slab {
  Slab(hid_t in_file, hid_t in_memory) : file(in_file, H5Sclose), memory(in_memory, H5Sclose) {}
  Handle file, memory;
};
// Nothing where there are no such rows.
std::optional<Slab> select(hid_t dataset, std::uint64_t first, std::uint64_t rows) {
  Handle space(H5Dget_space(dataset), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 1) return std::nullopt;
  std::vector<hsize_t> count(static_cast<std::size_t>(rank)), start(count.size(), 0);
  H5Sget_simple_extent_dims(space, count.data(), nullptr);
  if (rows > count[0] || first > count[0] - rows) return std::nullopt;
  start[0] = first;
  count[0] = rows;
  const hid_t chosen = H5Scopy(space);
  H5Sselect_hyperslab(chosen, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
  return std::optional<Slab>(std::in_place, chosen, H5Screate_simple(rank, count.data(), nullptr));
}

// How a dataset of packed chunks lies in its file. A chunk holds `chunk` whole rows.
struct Grid {
  std::uint64_t rows = 0, chunk = 0;
  std::size_t row_bytes = 0;
  int rank = 1;
  ChunkForm form;
  bool is_real = false;
  [[nodiscard]] std::uint64_t last_of(std::uint64_t first) const { return std::min(rows, first + chunk); }
};

// Whether the filters are shuffle, deflate and perhaps Fletcher-32, in this order.
bool has_our_filters(hid_t creation, bool& has_sum) {
  constexpr H5Z_filter_t ours[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
  const int count = H5Pget_nfilters(creation);
  if (count != 2 && count != 3) return false;
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    if (H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, nullptr) !=
        ours[i])
      return false;
  }
  has_sum = count == 3;
  return true;
}

// Nothing for a dataset of another form, or whose size is not plausible.
std::optional<Grid> grid_of(hid_t dataset) {
  constexpr hsize_t most_chunk_bytes = hsize_t{1} << 24;
  const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
  Grid grid;
  if (H5Pget_layout(creation) != H5D_CHUNKED || !has_our_filters(creation, grid.form.has_sum))
    return std::nullopt;
  const Handle space(H5Dget_space(dataset), H5Sclose), type(H5Dget_type(dataset), H5Tclose);
  hsize_t extent[2] = {1, 1}, chunk[2] = {1, 1};
  grid.rank = H5Sget_simple_extent_ndims(space);
  if (grid.rank != 1 && grid.rank != 2) return std::nullopt;
  H5Sget_simple_extent_dims(space, extent, nullptr);
  if (H5Pget_chunk(creation, grid.rank, chunk) != grid.rank || chunk[0] == 0 || chunk[1] != extent[1])
    return std::nullopt;
  const std::size_t element = H5Tget_size(type);
  if (element == 0 || element > 8 || chunk[1] > most_chunk_bytes / 8) return std::nullopt;
  grid.rows = extent[0], grid.chunk = chunk[0];
  grid.row_bytes = element * chunk[1];
  grid.form.element_bytes = element;
  grid.is_real = H5Tget_class(type) == H5T_FLOAT;
  if (grid.chunk > most_chunk_bytes / grid.row_bytes) return std::nullopt;
  return grid;
}

// Fills the rows that a column's last chunk has beyond its end with what HDF5 puts there.
void pad(std::vector<std::byte>& chunk, std::size_t from, const Grid& grid) {
  std::fill(chunk.begin() + static_cast<std::ptrdiff_t>(from), chunk.end(), std::byte{});
  if (!grid.is_real) return;
  const double wide = std::numeric_limits<double>::quiet_NaN();
  const auto narrow = std::numeric_limits<float>::quiet_NaN();
  const bool is_wide = grid.form.element_bytes == sizeof wide;
  for (std::size_t i = from; i < chunk.size(); i += grid.form.element_bytes)
    std::memcpy(chunk.data() + i, is_wide ? static_cast<const void*>(&wide) : &narrow,
                grid.form.element_bytes);
}

// False where rows are not whole chunks; HDF5 writes them then.
bool write_chunks(hid_t dataset, const Grid& grid, std::uint64_t first, std::uint64_t rows,
                  const std::byte* values, ChunkFilters& filters, bool& failed) {
  const std::uint64_t end = first + rows;
  if (first % grid.chunk != 0 || (end % grid.chunk != 0 && end != grid.rows) || end > grid.rows) return false;
  const std::size_t chunk_bytes = grid.chunk * grid.row_bytes;
  std::vector<std::byte> padded;
  for (; first < end; first += grid.chunk, values += chunk_bytes) {
    std::span<const std::byte> whole(values, (grid.last_of(first) - first) * grid.row_bytes);
    if (whole.size() < chunk_bytes) {
      padded.assign(whole.begin(), whole.end());
      padded.resize(chunk_bytes);
      pad(padded, whole.size(), grid);
      whole = padded;
    }
    const auto stored = filters.pack(whole, grid.form);
    const hsize_t place[2] = {first, 0};
    failed = H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, place, stored.size(), stored.data()) < 0;
    if (failed) return true;
  }
  return true;
}

// The values of the chunk that begins at row `first`; false where HDF5 has to look.
bool read_chunk(hid_t dataset, const Grid& grid, std::uint64_t first, ChunkFilters& filters,
                std::vector<std::byte>& stored, std::vector<std::byte>& values) {
  const hsize_t place[2] = {first, 0};
  const std::size_t chunk_bytes = grid.chunk * grid.row_bytes;
  hsize_t bytes = 0;
  if (H5Dget_chunk_storage_size(dataset, place, &bytes) < 0 || bytes == 0 || bytes > 2 * chunk_bytes + 1024)
    return false;
  stored.resize(bytes);
  std::uint32_t left_out = 0;
  if (H5Dread_chunk(dataset, H5P_DEFAULT, place, &left_out, stored.data()) < 0 || left_out != 0) return false;
  values.resize(chunk_bytes);
  return filters.unpack(stored, grid.form, values);
}

bool read_chunks(hid_t dataset, const Grid& grid, std::uint64_t first, std::uint64_t rows, std::byte* values,
                 ChunkFilters& filters) {
  if (rows > grid.rows || first > grid.rows - rows) return false;
  std::vector<std::byte> stored, chunk;
  for (const std::uint64_t end = first + rows; first < end;) {
    const std::uint64_t start = first / grid.chunk * grid.chunk, until = std::min(end, start + grid.chunk);
    if (!read_chunk(dataset, grid, start, filters, stored, chunk)) return false;
    const std::size_t bytes = (until - first) * grid.row_bytes;
    std::memcpy(values, chunk.data() + (first - start) * grid.row_bytes, bytes);
    values += bytes;
    first = until;
  }
  return true;
}

}  // namespace

void Hdf5File::write_rows(const std::string& path, std::uint64_t first, std::uint64_t rows,
                          const void* values) {
  if (rows == 0) return;
  const Handle dataset(H5Dopen2(handle_, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (const auto grid = grid_of(dataset)) {
    bool failed = false;
    if (write_chunks(dataset, *grid, first, rows, static_cast<const std::byte*>(values), *filters_, failed)) {
      if (failed) fail("write rows of \"" + path + "\"");
      return require_written();
    }
  }
  const auto slab = select(dataset, first, rows);
  if (!slab) fail("reach past the last row of \"" + path + "\"");
  const Handle type(H5Dget_type(dataset), H5Tclose);
  if (H5Dwrite(dataset, type, slab->memory, slab->file, H5P_DEFAULT, values) < 0)
    fail("write rows of \"" + path + "\"");
  require_written();
}

void Hdf5File::read_rows(const std::string& path, std::uint64_t first, std::uint64_t rows,
                         void* values) const {
  if (rows == 0) return;
  const Handle dataset(H5Dopen2(handle_, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (dataset < 0) fail("find the column \"" + path + "\"");
  const auto grid = grid_of(dataset);
  if (grid && read_chunks(dataset, *grid, first, rows, static_cast<std::byte*>(values), *filters_)) return;
  const auto slab = select(dataset, first, rows);
  if (!slab) fail("reach past the last row of \"" + path + "\"");
  const Handle type(H5Dget_type(dataset), H5Tclose);
  if (H5Dread(dataset, type, slab->memory, slab->file, H5P_DEFAULT, values) < 0)
    fail("read rows of \"" + path + "\"");
}

}  // namespace echo::storage
