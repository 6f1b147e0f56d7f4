// XXH3 hashes of a stream of bytes: 128 bits identify a result, 64 bits are the checksum of a record.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace echo {

inline constexpr const char* digest_algorithm = "XXH3-128";

using Hash128 = std::array<std::byte, 16>;                        // the high half first, big-endian
[[nodiscard]] Hash128 hash128(std::span<const std::byte> bytes);  // XXH3-128, seed 0
[[nodiscard]] std::uint64_t hash64(std::span<const std::byte>);   // XXH3-64, seed 0

class Digest {
 public:
  Digest();
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;
  ~Digest();
  void add(std::span<const std::byte>);
  // Digest of everything added so far: 32 lower-case hex digits, the high half first.
  [[nodiscard]] std::string hex() const;
  [[nodiscard]] Hash128 hash() const;  // the same bytes; hash128() of them all at once

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace echo
