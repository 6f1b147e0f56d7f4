#include "storage/chunk_filters.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <cstdint>
#include <new>

namespace echo::storage {
namespace {

// On the columns of 134 208 rows: level 4 takes half of zlib's time at its level 4 and 2 % less space;
// level 6 saves 3 % more for a quarter more time.
constexpr int level = 4;
constexpr std::size_t sum_bytes = 4;

// Byte j of every element, for one j after the other; bytes behind the last whole element stay.
void shuffle(std::span<const std::byte> values, std::size_t element, std::span<std::byte> out) {
  const std::size_t count = values.size() / element;
  for (std::size_t j = 0; j < element; ++j)
    for (std::size_t i = 0; i < count; ++i) out[j * count + i] = values[i * element + j];
  std::ranges::copy(values.subspan(count * element),
                    out.begin() + static_cast<std::ptrdiff_t>(count * element));
}

void unshuffle(std::span<const std::byte> shuffled, std::size_t element, std::span<std::byte> out) {
  const std::size_t count = shuffled.size() / element;
  for (std::size_t j = 0; j < element; ++j)
    for (std::size_t i = 0; i < count; ++i) out[i * element + j] = shuffled[j * count + i];
  std::ranges::copy(shuffled.subspan(count * element),
                    out.begin() + static_cast<std::ptrdiff_t>(count * element));
}

// HDF5's variant: 16-bit words, the first byte of each the higher one; sums folded after 360 words, the most
// that cannot overflow.
std::uint32_t fletcher32(std::span<const std::byte> bytes) {
  constexpr std::size_t words_between_folds = 360;
  std::uint32_t first = 0, second = 0;
  const auto fold = [](std::uint32_t sum) { return (sum & 0xffffu) + (sum >> 16); };
  const std::size_t words = bytes.size() / 2;
  for (std::size_t from = 0; from < words; from += words_between_folds) {
    const std::size_t to = std::min(words, from + words_between_folds);
    for (std::size_t i = from; i < to; ++i) {
      first += std::to_integer<std::uint32_t>(bytes[2 * i]) << 8 |
               std::to_integer<std::uint32_t>(bytes[2 * i + 1]);
      second += first;
    }
    first = fold(first), second = fold(second);
  }
  if (bytes.size() % 2 != 0) {
    first += std::to_integer<std::uint32_t>(bytes.back()) << 8;
    second += first;
    first = fold(first), second = fold(second);
  }
  return fold(second) << 16 | fold(first);
}

void put_sum(std::uint32_t sum, std::span<std::byte> out) {
  for (std::size_t i = 0; i < sum_bytes; ++i) out[i] = static_cast<std::byte>(sum >> (8 * i) & 0xffu);
}

}  // namespace

struct ChunkFilters::Coders {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(level);
  libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
};

ChunkFilters::ChunkFilters() : coders_(new Coders) {
  if (coders_->compressor == nullptr || coders_->decompressor == nullptr) throw std::bad_alloc();
}

ChunkFilters::~ChunkFilters() {
  libdeflate_free_compressor(coders_->compressor);
  libdeflate_free_decompressor(coders_->decompressor);
}

std::span<const std::byte> ChunkFilters::pack(std::span<const std::byte> values, ChunkForm form) {
  shuffled_.resize(values.size());
  shuffle(values, form.element_bytes, shuffled_);
  stored_.resize(libdeflate_zlib_compress_bound(coders_->compressor, values.size()) + sum_bytes);
  const std::size_t packed = libdeflate_zlib_compress(coders_->compressor, shuffled_.data(), shuffled_.size(),
                                                      stored_.data(), stored_.size() - sum_bytes);
  stored_.resize(packed + (form.has_sum ? sum_bytes : 0));
  const std::span<std::byte> all(stored_);
  if (form.has_sum) put_sum(fletcher32(all.first(packed)), all.subspan(packed));
  return all;
}

bool ChunkFilters::unpack(std::span<const std::byte> stored, ChunkForm form, std::span<std::byte> values) {
  if (form.has_sum) {
    if (stored.size() < sum_bytes) return false;
    const auto packed = stored.first(stored.size() - sum_bytes);
    std::byte sum[sum_bytes];
    put_sum(fletcher32(packed), sum);
    if (!std::ranges::equal(sum, stored.last(sum_bytes))) return false;
    stored = packed;
  }
  shuffled_.resize(values.size());
  std::size_t length = 0;
  if (libdeflate_zlib_decompress(coders_->decompressor, stored.data(), stored.size(), shuffled_.data(),
                                 shuffled_.size(), &length) != LIBDEFLATE_SUCCESS ||
      length != values.size())
    return false;
  unshuffle(shuffled_, form.element_bytes, values);
  return true;
}

}  // namespace echo::storage
