#include "packets/engine/random_streams.hpp"

namespace echo::packets {
namespace {

constexpr std::uint64_t modulus_1 = 4294967087, modulus_2 = 4294944443;
constexpr std::uint64_t a12 = 1403580, a13 = 810728, a21 = 527612, a23 = 1370589;

using Triple = std::array<std::uint64_t, 3>;
using Matrix = std::array<Triple, 3>;

constexpr std::uint64_t row_by(const Triple& row, const Triple& state, std::uint64_t modulus) {
  return (row[0] * state[0] % modulus + row[1] * state[1] % modulus + row[2] * state[2] % modulus) % modulus;
}

constexpr Triple advanced(const Matrix& step, const Triple& state, std::uint64_t modulus) {
  return {row_by(step[0], state, modulus), row_by(step[1], state, modulus), row_by(step[2], state, modulus)};
}

constexpr Matrix squared(const Matrix& a, std::uint64_t modulus) {
  Matrix result{};
  for (std::size_t j = 0; j < 3; ++j) {
    const Triple column = advanced(a, {a[0][j], a[1][j], a[2][j]}, modulus);
    for (std::size_t i = 0; i < 3; ++i) result[i][j] = column[i];
  }
  return result;
}

// The matrix of 2^exponent steps.
constexpr Matrix steps(Matrix one, int exponent, std::uint64_t modulus) {
  for (; exponent > 0; --exponent) one = squared(one, modulus);
  return one;
}

constexpr Matrix one_1{{{0, 1, 0}, {0, 0, 1}, {modulus_1 - a13, a12, 0}}};
constexpr Matrix one_2{{{0, 1, 0}, {0, 0, 1}, {modulus_2 - a23, 0, a21}}};
constexpr Matrix run_1 = steps(one_1, 76, modulus_1), run_2 = steps(one_2, 76, modulus_2);
constexpr Matrix stream_1 = steps(one_1, 127, modulus_1), stream_2 = steps(one_2, 127, modulus_2);

}  // namespace

RandomStreams::RandomStreams(std::uint32_t seed, std::uint64_t first)
    : first_{seed, seed, seed}, second_{seed, seed, seed} {
  first_ = advanced(run_1, first_, modulus_1);
  second_ = advanced(run_2, second_, modulus_2);
  for (; first > 0; --first) skip();
}

void RandomStreams::skip() {
  first_ = advanced(stream_1, first_, modulus_1);
  second_ = advanced(stream_2, second_, modulus_2);
}

double RandomStreams::next() {
  constexpr double norm = 2.328306549295727688e-10;  // 1 / (modulus_1 + 1)
  const std::uint64_t p = row_by(one_1[2], first_, modulus_1), q = row_by(one_2[2], second_, modulus_2);
  skip();
  return static_cast<double>(p > q ? p - q : p + modulus_1 - q) * norm;
}

}  // namespace echo::packets
