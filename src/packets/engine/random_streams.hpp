// Uniform draws as ns-3 makes them where each is the first of a new random variable: the first number of
// successive streams of L'Ecuyer's MRG32k3a, 2^127 apart.
#pragma once

#include <array>
#include <cstdint>

namespace echo::packets {

// Source: L'Ecuyer, Simard, Chen, Kelton, "An object-oriented random-number package with many long streams
// and substreams", Operations Research 50 (2002); streams and runs as ns-3's manual numbers them.
class RandomStreams {
 public:
  // All six words of the seed are `seed` (1 to 2^32 - 1); run 1; the first draw is of stream `first`.
  RandomStreams(std::uint32_t seed, std::uint64_t first);
  // In (0, 1).
  [[nodiscard]] double next();
  void skip();  // a stream that is used elsewhere

 private:
  using Triple = std::array<std::uint64_t, 3>;
  Triple first_{}, second_{};  // the state of either component
};

}  // namespace echo::packets
