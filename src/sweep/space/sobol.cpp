// Each coordinate of point n is the XOR of the direction numbers at the set bits of n. A coordinate's
// direction numbers follow from a primitive polynomial over GF(2) and a few odd starting values by Sobol's
// recurrence (Bratley and Fox, ACM TOMS 14, 1988). Polynomials and starting values: S. Joe and F. Y. Kuo,
// "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30, 2008, file
// new-joe-kuo-6.21201, dimensions 2 to 31; the first coordinate is van der Corput's sequence. All points are
// shifted by the same XOR, drawn from the seed, which keeps every property of the sequence.
#include "sweep/space/sobol.hpp"

#include "base/contract.hpp"
#include "base/counter_rng.hpp"

namespace echo::sweep {

namespace {

struct Start {
  std::uint32_t degree, coefficients;  // of the polynomial, without its first and last term
  std::array<std::uint32_t, 7> values;
};

constexpr std::array<Start, Sobol::max_dimensions - 1> starts{{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
}};

std::array<std::uint32_t, 32> directions_of(std::size_t dimension) {
  std::array<std::uint32_t, 32> out{};
  if (dimension == 0) {
    for (std::uint32_t bit = 0; bit < 32; ++bit) out[bit] = 1U << (31 - bit);
    return out;
  }
  const Start& start = starts[dimension - 1];
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    if (bit < start.degree) {
      out[bit] = start.values[bit] << (31 - bit);
      continue;
    }
    out[bit] = out[bit - start.degree] ^ (out[bit - start.degree] >> start.degree);
    for (std::uint32_t k = 1; k < start.degree; ++k) {
      if ((start.coefficients >> (start.degree - 1 - k) & 1U) != 0) out[bit] ^= out[bit - k];
    }
  }
  return out;
}

}  // namespace

Sobol::Sobol(std::size_t dimensions, std::uint64_t seed) {
  ECHO_EXPECT(dimensions <= max_dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) {
    directions_.push_back(directions_of(d));
    shift_.push_back(static_cast<std::uint32_t>(draw(seed, 0x50B01, d) >> 32));
  }
}

void Sobol::point(std::uint64_t number, std::span<std::uint32_t> out) const {
  ECHO_EXPECT(number >> 32 == 0 && out.size() == shift_.size());
  for (std::size_t d = 0; d < out.size(); ++d) {
    std::uint32_t x = shift_[d];
    for (std::uint64_t rest = number, bit = 0; rest != 0; rest >>= 1, ++bit) {
      if ((rest & 1) != 0) x ^= directions_[d][bit];
    }
    out[d] = x;
  }
}

}  // namespace echo::sweep
