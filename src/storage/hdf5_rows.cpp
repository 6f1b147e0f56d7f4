// Whole rows of a column. Chunks in the form that we write are packed and unpacked here (chunk_filters.hpp)
// and handed to HDF5 as the bytes that it stores; whatever else a file holds goes through HDF5's own filters.
#include <hdf5.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <optional>

#include "base/contract.hpp"
#include "storage/chunk_cache.hpp"
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
  if (!std::has_single_bit(element) || element > 8 || chunk[1] > most_chunk_bytes / 8) return std::nullopt;
  grid.rows = extent[0], grid.chunk = chunk[0];
  grid.row_bytes = element * chunk[1];
  grid.form.element_bytes = element;
  grid.form.is_real = H5Tget_class(type) == H5T_FLOAT;
  if (grid.chunk > most_chunk_bytes / grid.row_bytes) return std::nullopt;
  return grid;
}

// False where rows are not whole chunks; HDF5 writes them then.
bool write_chunks(hid_t dataset, const Grid& grid, std::uint64_t first, std::uint64_t rows,
                  const std::byte* values, ChunkFilters& filters, bool& failed) {
  const std::uint64_t end = first + rows;
  if (first % grid.chunk != 0 || (end % grid.chunk != 0 && end != grid.rows) || end > grid.rows) return false;
  const std::size_t chunk_bytes = grid.chunk * grid.row_bytes;
  for (; first < end; first += grid.chunk, values += chunk_bytes) {
    const std::span<const std::byte> whole(values, (grid.last_of(first) - first) * grid.row_bytes);
    const auto stored = filters.pack_padded(whole, chunk_bytes, grid.form);
    const hsize_t place[2] = {first, 0};
    failed = H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, place, stored.size(), stored.data()) < 0;
    if (failed) return true;
  }
  return true;
}

// The chunk that begins at row `first` as it is stored; false where HDF5 has to look, or it has more bytes.
bool read_stored(hid_t dataset, const Grid& grid, std::uint64_t first, std::vector<std::byte>& stored,
                 std::size_t most_bytes = std::numeric_limits<std::size_t>::max()) {
  const hsize_t place[2] = {first, 0};
  const std::size_t longest = std::min(most_bytes, 2 * grid.chunk * grid.row_bytes + 1024);
  hsize_t bytes = 0;
  if (H5Dget_chunk_storage_size(dataset, place, &bytes) < 0 || bytes == 0 || bytes > longest) return false;
  stored.resize(bytes);
  std::uint32_t left_out = 0;
  return H5Dread_chunk(dataset, H5P_DEFAULT, place, &left_out, stored.data()) >= 0 && left_out == 0;
}

// Its values.
bool read_chunk(hid_t dataset, const Grid& grid, std::uint64_t first, ChunkFilters& filters,
                std::vector<std::byte>& stored, std::vector<std::byte>& values) {
  values.resize(grid.chunk * grid.row_bytes);
  return read_stored(dataset, grid, first, stored) && filters.unpack(stored, grid.form, values);
}

// Buffers from call to call, and what they held before.
struct Chunks {
  ChunkCache known{std::size_t{8} << 20};
  std::vector<std::byte> stored, values;
};

bool read_chunks(hid_t dataset, const Grid& grid, std::uint64_t first, std::uint64_t rows, std::byte* values,
                 ChunkFilters& filters, Chunks& chunks) {
  if (rows > grid.rows || first > grid.rows - rows) return false;
  for (const std::uint64_t end = first + rows; first < end;) {
    const std::uint64_t start = first / grid.chunk * grid.chunk, until = std::min(end, start + grid.chunk);
    const auto* const known = chunks.known.find(&grid, start);
    if (known == nullptr && !read_chunk(dataset, grid, start, filters, chunks.stored, chunks.values))
      return false;
    const std::byte* const chunk = known == nullptr ? chunks.values.data() : known->data();
    const std::size_t bytes = (until - first) * grid.row_bytes;
    std::memcpy(values, chunk + (first - start) * grid.row_bytes, bytes);
    if (known == nullptr) chunks.known.keep(&grid, start, chunks.values);
    values += bytes;
    first = until;
  }
  return true;
}

}  // namespace

struct Hdf5File::OpenDataset {
  explicit OpenDataset(hid_t opened) : dataset(opened, H5Dclose), grid(grid_of(opened)) {}
  Handle dataset;
  std::optional<Grid> grid;  // stays where it is: chunks are known by it
};
struct Hdf5File::OpenDatasets {
  std::map<std::string, OpenDataset> by_path;
  Chunks chunks;
};

void Hdf5File::forget_datasets() { datasets_.reset(); }

// Opening a dataset and looking at its form cost more than a small chunk.
Hdf5File::OpenDataset& Hdf5File::dataset(const std::string& path) const {
  if (datasets_ == nullptr) datasets_ = std::make_shared<OpenDatasets>();
  const auto known = datasets_->by_path.find(path);
  if (known != datasets_->by_path.end()) return known->second;
  const hid_t opened = H5Dopen2(handle_, path.c_str(), H5P_DEFAULT);
  if (opened < 0) fail("find the column \"" + path + "\"");
  return datasets_->by_path.try_emplace(path, opened).first->second;
}

std::int64_t Hdf5File::handle_of(const std::string& path) const { return dataset(path).dataset; }

void Hdf5File::write_rows(const std::string& path, std::uint64_t first, std::uint64_t rows,
                          const void* values) {
  if (rows == 0) return;
  const auto& [dataset, grid] = this->dataset(path);
  datasets_->chunks.known.clear();
  if (grid) {
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
  const auto& [dataset, grid] = this->dataset(path);
  if (grid &&
      read_chunks(dataset, *grid, first, rows, static_cast<std::byte*>(values), *filters_, datasets_->chunks))
    return;
  const auto slab = select(dataset, first, rows);
  if (!slab) fail("reach past the last row of \"" + path + "\"");
  const Handle type(H5Dget_type(dataset), H5Tclose);
  if (H5Dread(dataset, type, slab->memory, slab->file, H5P_DEFAULT, values) < 0)
    fail("read rows of \"" + path + "\"");
}

std::optional<std::uint64_t> Hdf5File::repeated(const std::string& path, std::uint64_t first,
                                                std::uint64_t rows) const {
  const auto& [dataset, grid] = this->dataset(path);
  if (!grid || rows == 0 || rows > grid->rows || first > grid->rows - rows) return std::nullopt;
  const std::uint64_t start = first / grid->chunk * grid->chunk;
  std::vector<std::byte>& stored = datasets_->chunks.stored;
  if (first + rows > start + grid->chunk ||
      !read_stored(dataset, *grid, start, stored, ChunkFilters::most_told))
    return std::nullopt;
  return filters_->repeated(stored, grid->form, grid->chunk * grid->row_bytes);
}

void Hdf5File::place_chunk(const std::string& path, std::uint64_t first, std::span<const std::byte> stored) {
  const auto& [dataset, grid] = this->dataset(path);
  datasets_->chunks.known.clear();
  ECHO_EXPECT(grid && first % grid->chunk == 0 && first < grid->rows);
  const hsize_t place[2] = {first, 0};
  if (H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, place, stored.size(), stored.data()) < 0)
    fail("write rows of \"" + path + "\"");
  require_written();
}

void Hdf5File::stored_chunk(const std::string& path, std::uint64_t first,
                            std::vector<std::byte>& stored) const {
  const auto& [dataset, grid] = this->dataset(path);
  if (!grid || !read_stored(dataset, *grid, first, stored)) fail("read rows of \"" + path + "\"");
}

}  // namespace echo::storage
