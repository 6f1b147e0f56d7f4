// The bytes of one chunk as HDF5's filters shuffle, deflate and (where a file has checksums) Fletcher-32
// store them, made and read by libdeflate, which takes a half and a third of zlib's time. Source: HDF5's
// H5Zshuffle.c, H5Zdeflate.c and H5Zfletcher32.c; RFC 1950.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace echo::storage {

struct ChunkForm {
  std::size_t element_bytes = 1;  // 1, 2, 4 or 8
  bool has_sum = false;
  bool is_real = false;  // of what a chunk has beyond the end of its column
};

// Whether one element repeats through all of them.
[[nodiscard]] bool is_repeated(std::span<const std::byte> values, std::size_t element_bytes);

class ChunkFilters {
 public:
  static constexpr std::size_t most_told = 256;  // bytes of a stored chunk that repeated() tells of
  ChunkFilters();
  ChunkFilters(const ChunkFilters&) = delete;
  ChunkFilters& operator=(const ChunkFilters&) = delete;
  ~ChunkFilters();

  // What the file stores for `values`; valid until the next call. The same bytes for the same values. A chunk
  // of one repeated value costs its comparison: such chunks are kept packed.
  [[nodiscard]] std::span<const std::byte> pack(std::span<const std::byte> values, ChunkForm);
  // The same of the last chunk of a column, filled up to chunk_bytes with what HDF5 puts behind the end.
  [[nodiscard]] std::span<const std::byte> pack_padded(std::span<const std::byte> values,
                                                       std::size_t chunk_bytes, ChunkForm);
  // False where `stored` is not what pack() or HDF5 made of values.size() bytes; it may be hostile. Chunks of
  // one repeated value are known again.
  [[nodiscard]] bool unpack(std::span<const std::byte> stored, ChunkForm, std::span<std::byte> values);
  // The element that repeats through the `bytes` bytes of which pack() made `stored`, its bytes first and
  // zeros behind them; nothing where none does, or `stored` has more than most_told bytes.
  [[nodiscard]] std::optional<std::uint64_t> repeated(std::span<const std::byte> stored, ChunkForm,
                                                      std::size_t bytes);

 private:
  std::span<const std::byte> pack_anew(std::span<const std::byte> values, ChunkForm);
  bool unpack_anew(std::span<const std::byte> stored, ChunkForm, std::span<std::byte> values);
  struct Coders;
  std::unique_ptr<Coders> coders_;
  std::vector<std::byte> shuffled_, stored_, padded_, told_;
};

}  // namespace echo::storage
