// XXH3 hashes of a stream of bytes: 128 bits identify a result, 64 bits are the checksum of a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace echo {

inline constexpr const char* digest_algorithm = "XXH3-128";

class Digest {
 public:
  Digest();
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;
  ~Digest();
  void add(std::span<const std::byte>);
  // Digest of everything added so far: 32 lower-case hex digits, the high half first.
  [[nodiscard]] std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// 128 bits that stand for the bytes in a table: among 10^9 different texts, two share them with a chance of
// some 10^-21.
struct Fingerprint {
  std::uint64_t low = 0, high = 0;
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};
[[nodiscard]] Fingerprint fingerprint_of(std::span<const std::byte>);  // XXH3-128, seed 0

[[nodiscard]] std::uint64_t hash64(std::span<const std::byte>);  // XXH3-64, seed 0

}  // namespace echo
