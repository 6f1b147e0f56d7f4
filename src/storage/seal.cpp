#include "storage/seal.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "base/at.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"

namespace echo::storage {
namespace {

constexpr std::string_view mark = "\nechosum ";  // then 32 hex digits and the end of a line
constexpr std::size_t seal_bytes = mark.size() + 32 + 1;

// Digest of the first `bytes` bytes; nothing where there are fewer.
std::optional<std::string> seal_of(std::ifstream& in, std::uint64_t bytes) {
  Digest digest;
  std::vector<char> piece(std::size_t{1} << 20);
  while (bytes > 0) {
    const auto wanted = static_cast<std::streamsize>(std::min<std::uint64_t>(bytes, piece.size()));
    if (!in.read(piece.data(), wanted)) return std::nullopt;
    digest.add(std::as_bytes(std::span(piece).first(at(wanted))));
    bytes -= static_cast<std::uint64_t>(wanted);
  }
  return std::string(mark) + digest.hex() + "\n";
}

}  // namespace

void seal(const std::filesystem::path& file) {
  std::error_code failed;
  const std::uint64_t bytes = std::filesystem::file_size(file, failed);
  std::ifstream in(file, std::ios::binary);
  const auto text = failed || !in ? std::nullopt : seal_of(in, bytes);
  std::ofstream out(file, std::ios::binary | std::ios::app);
  if (text) out << *text << std::flush;
  if (!text || !out)
    throw UserError("cannot finish \"" + file.string() + "\"", "check that the disk has free space", 5);
}

bool is_sealed(const std::filesystem::path& file) {
  std::error_code failed;
  const std::uint64_t bytes = std::filesystem::file_size(file, failed);
  std::ifstream in(file, std::ios::binary);
  if (failed || !in || bytes < seal_bytes) return false;
  const auto expected = seal_of(in, bytes - seal_bytes);
  std::string found(seal_bytes, '\0');
  return expected && in.read(found.data(), std::ssize(found)) && found == *expected;
}

}  // namespace echo::storage
