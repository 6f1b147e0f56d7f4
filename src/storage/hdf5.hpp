// An HDF5 file with the few shapes we write: columns along a dimension, texts, attributes. Serial HDF5, one
// writer. Every failure is a UserError of exit code 5 that names the file, what was attempted, and the
// damaged bytes or the reason of the disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "storage/block_sums.hpp"

namespace echo::storage {

// Named as numpy names them: kind, then size in bytes. Stored little-endian.
enum class ElementType : std::int8_t { i1, i2, i4, i8, u8, f4, f8 };
[[nodiscard]] std::size_t size_of(ElementType);
[[nodiscard]] constexpr bool is_real(ElementType type) {
  return type == ElementType::f4 || type == ElementType::f8;
}

using Shape = std::vector<std::uint64_t>;

struct DatasetSpec {
  std::string path;  // "/breakdown/exposed_time"; its group must exist
  ElementType type = ElementType::f8;
  Shape shape;  // [rows] or [rows, columns]
  Shape chunk;  // empty = contiguous; otherwise shuffled and deflated (gzip)
};

class ChunkFilters;
class FileBytes;

class Hdf5File {
 public:
  // create: truncates. create_with_sums: so that damage is found (block_sums.hpp); values have HDF5's own
  // checksums as well (Fletcher-32). read and update refuse a damaged file: when it is opened, or, one over
  // 256 MiB that is read, when a damaged part of it is read. inspect opens it as far as possible; what is
  // damaged cannot be read.
  enum class Mode : std::int8_t { create, create_with_sums, read, update, inspect };
  Hdf5File(const std::filesystem::path&, Mode);
  Hdf5File(Hdf5File&&) noexcept;
  Hdf5File& operator=(Hdf5File&&) = delete;
  ~Hdf5File();
  // Reports errors that a destructor cannot; appends the checksums. A file that is destroyed unclosed has
  // none, and is refused by those who read it.
  void close();

  void make_group(const std::string& path);
  void remove(const std::string& path);  // a group with all that is in it; its bytes stay in the file
  // Real datasets are initialised with NaN, recorded in a `_FillValue` attribute.
  void make_dataset(const DatasetSpec&);
  void make_text(const std::string& path, const std::string& text);  // scalar, variable-length UTF-8
  void make_texts(const std::string& path, std::span<const std::string> texts);
  void make_scale(
      const std::string& dataset);  // declares it a dimension scale named like its last path element
  void attach_scale(const std::string& dataset, unsigned dimension, const std::string& scale);
  void detach_scale(const std::string& dataset, unsigned dimension, const std::string& scale);

  // Whole rows along the first dimension; `values` are in the dataset's own type, native byte order.
  void write_rows(const std::string& path, std::uint64_t first, std::uint64_t rows, const void* values);
  void read_rows(const std::string& path, std::uint64_t first, std::uint64_t rows, void* values) const;
  // The element that all these rows repeat, its bytes first and zeros behind them, where that costs less than
  // to read them; else nothing.
  [[nodiscard]] std::optional<std::uint64_t> repeated(const std::string& path, std::uint64_t first,
                                                      std::uint64_t rows) const;
  // The chunk that begins at row `first`, as it is stored: chunk_filters.hpp makes such bytes. Contract of
  // the first: the dataset has chunks in the form that we write, and there is one there.
  void place_chunk(const std::string& path, std::uint64_t first, std::span<const std::byte> stored);
  void stored_chunk(const std::string& path, std::uint64_t first, std::vector<std::byte>& stored) const;
  [[nodiscard]] std::string text(const std::string& path) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& path) const;

  [[nodiscard]] bool has_sums() const;
  [[nodiscard]] std::vector<ByteRange> damaged() const;  // reads the whole file; empty without checksums
  void require_whole() const;                            // UserError, 5, where damaged() is not empty
  [[nodiscard]] bool has(const std::string& path) const;
  [[nodiscard]] Shape shape(const std::string& path) const;
  [[nodiscard]] ElementType type(const std::string& path) const;
  [[nodiscard]] bool is_text(const std::string& path) const;
  // Paths, in creation order.
  [[nodiscard]] std::vector<std::string> datasets(const std::string& group) const;
  [[nodiscard]] std::vector<std::string> members(const std::string& group) const;  // groups too
  [[nodiscard]] bool is_dataset(const std::string& path) const;                    // or a group

  // Attributes of a dataset or group ("/" = the file). Writing replaces.
  void set_attribute(const std::string& path, const std::string& name, const std::string& value);
  void set_attribute(const std::string& path, const std::string& name, const char* value);
  void set_attribute(const std::string& path, const std::string& name, std::int64_t value);
  void set_attribute(const std::string& path, const std::string& name, double value);
  void set_attribute(const std::string& path, const std::string& name, std::span<const std::int8_t> values);
  [[nodiscard]] bool has_attribute(const std::string& path, const std::string& name) const;
  [[nodiscard]] std::string text_attribute(const std::string& path, const std::string& name) const;
  [[nodiscard]] std::int64_t integer_attribute(const std::string& path, const std::string& name) const;
  [[nodiscard]] double real_attribute(const std::string& path, const std::string& name) const;
  // All that are one text, by name.
  [[nodiscard]] std::map<std::string, std::string> text_attributes(const std::string& path) const;
  [[nodiscard]] std::vector<std::int8_t> codes_attribute(const std::string& path,
                                                         const std::string& name) const;

 private:
  struct OpenDatasets;
  struct OpenDataset;
  [[nodiscard]] OpenDataset& dataset(const std::string& path) const;
  [[nodiscard]] std::int64_t handle_of(const std::string& dataset) const;
  void forget_datasets();
  [[noreturn]] void fail(const std::string& attempted) const;
  void require_written() const;
  // HDF5 answers a question with a number below 0 where it does not know.
  [[nodiscard]] bool is_true(int answer, const std::string& attempted) const;

  std::string name_;
  std::shared_ptr<FileBytes> bytes_;
  std::unique_ptr<ChunkFilters> filters_;
  mutable std::shared_ptr<OpenDatasets> datasets_;  // opened once; closed before the file
  std::int64_t handle_ = -1;
};

[[nodiscard]] std::string hdf5_version();
// Flushes a written file (or a folder's entries) to the disk itself.
void sync_to_disk(const std::filesystem::path&);

}  // namespace echo::storage
