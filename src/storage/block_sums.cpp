#include "storage/block_sums.hpp"

#include <libdeflate.h>

#include <cstdio>
#include <cstring>
#include <string_view>

#include "storage/raw_file.hpp"

namespace echo::storage {
namespace {

constexpr std::string_view mark = "\nechosums 1 ";
constexpr std::size_t line_bytes = 47;

std::uint32_t sum_of(std::string_view text) { return block_sum(std::as_bytes(std::span(text))); }

std::string line_of(std::uint64_t data_bytes, std::uint32_t sum_of_sums) {
  char text[line_bytes + 1];
  std::snprintf(text, sizeof text, "%s%016llx %08x ", mark.data(),
                static_cast<unsigned long long>(data_bytes), sum_of_sums);
  std::string line(text);
  std::snprintf(text, sizeof text, "%08x\n", sum_of(line));
  return line + text;
}

std::uint64_t blocks_of(std::uint64_t bytes) {
  return bytes / block_bytes + (bytes % block_bytes > 0 ? 1 : 0);
}

}  // namespace

std::uint32_t block_sum(std::span<const std::byte> block) {
  return libdeflate_crc32(0, block.data(), block.size());
}

std::string trailer_of(const BlockSums& blocks) {
  std::string text(blocks.sums.size() * sizeof(std::uint32_t), '\0');
  if (!text.empty()) std::memcpy(text.data(), blocks.sums.data(), text.size());
  return text + line_of(blocks.data_bytes, sum_of(text));
}

bool read_block_sums(int file, std::uint64_t bytes, BlockSums& out) {
  if (bytes < line_bytes) return false;
  std::string line(line_bytes, '\0');
  unsigned long long data_bytes = 0;
  unsigned sum_of_sums = 0;
  if (!read_fully(file, bytes - line_bytes, line_bytes, line.data()) || !line.starts_with(mark) ||
      std::sscanf(line.c_str() + mark.size(), "%16llx %8x", &data_bytes, &sum_of_sums) != 2 ||
      line != line_of(data_bytes, sum_of_sums))
    return false;
  out = {.data_bytes = data_bytes, .sums = {}, .damage = {}};
  const std::uint64_t room = bytes - line_bytes, wanted = blocks_of(data_bytes) * sizeof(std::uint32_t);
  if (data_bytes > room || wanted != room - data_bytes) {
    out.damage = "it has " + std::to_string(bytes) + " bytes, but was written with " +
                 std::to_string(data_bytes + wanted + line_bytes);
    return true;
  }
  out.sums.resize(blocks_of(data_bytes));
  std::string text(wanted, '\0');
  if (!read_fully(file, data_bytes, wanted, text.data()) || sum_of(text) != sum_of_sums)
    out.damage = "its checksums (bytes " + std::to_string(data_bytes) + " to " + std::to_string(room - 1) +
                 ") are changed";
  else if (wanted > 0)
    std::memcpy(out.sums.data(), text.data(), wanted);
  return true;
}

}  // namespace echo::storage
