#include "base/digest.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace echo {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(Digest, OfNothingIsThePublishedXxh3Value) {
  // XXH3_128bits of the empty input with seed 0, as xxhsum -H2 prints it.
  EXPECT_EQ(Digest().hex(), "99aa06d3014798d86001c324468d497f");
}

TEST(Digest, DoesNotDependOnHowBytesArrive) {
  Digest whole, pieces;
  whole.add(bytes_of("tensor pipeline data"));
  for (const char letter : std::string_view("tensor pipeline data")) pieces.add(bytes_of({&letter, 1}));
  EXPECT_EQ(whole.hex(), pieces.hex());
}

TEST(Digest, SeesOneBit) {
  Digest a, b;
  a.add(bytes_of("a"));
  b.add(bytes_of("c"));
  EXPECT_NE(a.hex(), b.hex());
}

}  // namespace
}  // namespace echo
