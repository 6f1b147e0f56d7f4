// The bytes of a learned model: a header, then the tables of the kernel's regressor and of the collective's.
// Each table starts at a multiple of 8 bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "slowdown/learned_view.hpp"

namespace echo::slowdown {

inline constexpr std::uint64_t image_magic = 0x31'77'6f'6c'73'6f'68'63;  // "choslow1" on little-endian hosts

struct ImageRate {
  RateView::Kind kind = RateView::Kind::none;
  float base = 0.0F;        // forest
  std::int64_t first = 0;   // forest: nodes; mlp: widths
  std::int64_t second = 0;  // forest: roots
  Range seen{};
};

struct ImageHeader {
  std::uint64_t magic = image_magic;
  Base base = Base::none;
  std::array<std::uint8_t, 7> zeros{};
  Contention contention{};
  std::array<Range, simulator_feature_count> ranges{};
  ImageRate kernel, collective;
};
// No padding: equal models have equal bytes.
static_assert(sizeof(ImageRate) == 4 + 4 + 8 + 8 + 16);
static_assert(sizeof(ImageHeader) == 8 + 8 + 40 + 16 * simulator_feature_count + 2 * sizeof(ImageRate));

[[nodiscard]] constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace echo::slowdown
