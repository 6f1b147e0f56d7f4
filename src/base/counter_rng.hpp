// Random draws as a pure function of (seed, key, draw number): independent of their order and of the workers.
// Source: SplitMix64 finaliser (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace echo {

constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

constexpr std::uint64_t draw(std::uint64_t seed, std::uint64_t key, std::uint64_t number) {
  return mix(mix(mix(seed) ^ key) ^ number);
}

// Uniform in [0, 1), 53 bits.
constexpr double draw_unit(std::uint64_t seed, std::uint64_t key, std::uint64_t number) {
  return static_cast<double>(draw(seed, key, number) >> 11) * 0x1.0p-53;
}

// Standard normal, from uniform draws 2 number and 2 number + 1 (Box and Muller 1958).
inline double draw_normal(std::uint64_t seed, std::uint64_t key, std::uint64_t number) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - draw_unit(seed, key, 2 * number)));
  return radius * std::cos(2.0 * std::numbers::pi * draw_unit(seed, key, 2 * number + 1));
}

}  // namespace echo
