// Checksums behind the data of a file, one for each block of it, so that damage is found and has a place.
// HDF5 ignores bytes after its data; its library may crash on damaged data, so blocks are checked before it
// sees them. On disk: a CRC-32 (as zlib computes it) of each block of 4096 bytes, the last one maybe shorter,
// 4 bytes each, little-endian; then one line of 47 bytes: a line break, "echosums 1 ", the bytes of data in
// 16 hex digits, the CRC-32 of the checksums and that of the line up to here in 8 hex digits each, with
// blanks between, and a line break.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace echo::storage {

inline constexpr std::uint64_t block_bytes = 4096;

struct ByteRange {
  std::uint64_t first = 0, last = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

[[nodiscard]] std::uint32_t block_sum(std::span<const std::byte> block);

struct BlockSums {
  std::uint64_t data_bytes = 0;
  std::vector<std::uint32_t> sums;  // [block]
  std::string damage;               // of the checksums themselves; empty = none
};

// The text that goes behind the data.
[[nodiscard]] std::string trailer_of(const BlockSums&);
// The end of an open file of `bytes` bytes. False where no line of checksums ends it; a line whose checksums
// do not fit sets `damage`.
[[nodiscard]] bool read_block_sums(int file, std::uint64_t bytes, BlockSums& out);

}  // namespace echo::storage
