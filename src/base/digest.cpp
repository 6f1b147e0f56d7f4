#include "base/digest.hpp"

#define XXH_STATIC_LINKING_ONLY  // for the state's size: it lives in our own storage
#include <xxhash.h>

#include <array>
#include <cstdio>

namespace echo {

static Hash128 big_endian(XXH128_hash_t hash) {
  Hash128 out{};
  for (std::size_t i = 0; i < 8; ++i) {
    out[i] = static_cast<std::byte>(hash.high64 >> (56 - 8 * i));
    out[8 + i] = static_cast<std::byte>(hash.low64 >> (56 - 8 * i));
  }
  return out;
}

struct Digest::State {
  XXH3_state_t xxh;
};

Digest::Digest() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh); }
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;
Digest::~Digest() = default;

void Digest::add(std::span<const std::byte> bytes) {
  if (!bytes.empty()) XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
}

std::string Digest::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text.data();
}

Hash128 Digest::hash() const { return big_endian(XXH3_128bits_digest(&state_->xxh)); }

Hash128 hash128(std::span<const std::byte> bytes) {
  return big_endian(XXH3_128bits(bytes.data(), bytes.size()));
}

std::uint64_t hash64(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace echo
