// The bytes of a database: a header and four flat tables, one after the other. No pointers: each worker may
// map them at a different address.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "ops/kernel_fields.hpp"

namespace echo::kernels {

// Coordinates of a kernel within its family: octaves of m, n, k, batch, groups, and of the rows that routing
// assigns to this rank (shape_point()).
inline constexpr std::size_t shape_axes = 6;
using ShapePoint = std::array<float, shape_axes>;

struct ImageHeader {
  std::uint64_t families = 0, shapes = 0;
};

// Numbers of a key, plus a zero if their count is odd, so that no family has padding.
using FamilyKey = std::array<std::int32_t, (ops::kernel_field_count + 1) / 2 * 2>;

// Kernels that differ only in shape; sorted by (gpu, like).
struct Family {
  std::uint64_t gpu = 0;               // hash of its name
  FamilyKey like{};                    // the key with every size of its shape set to 1
  std::uint32_t first = 0, count = 0;  // of its shapes, and of the nodes of its tree
  [[nodiscard]] auto order() const { return std::tie(gpu, like); }
};

// One measured shape; sorted by size within the family.
struct Shape {
  std::array<std::int32_t, 7> size;  // m, n, k, batch, groups; rows and tokens of routing
  float error;                       // relative
  double ratio;                      // measured over modelled
};

// A balanced tree in place: the middle node of a range splits it along `axis`.
struct Node {
  ShapePoint at;
  std::uint32_t shape = 0;  // counted from the family's first
  std::uint32_t axis = 0;
};

// No padding: equal databases have equal bytes.
static_assert(std::has_unique_object_representations_v<Family>);
static_assert(std::is_trivially_copyable_v<Shape> && sizeof(Shape) == 7 * 4 + 4 + 8);
static_assert(std::is_trivially_copyable_v<Node> && sizeof(Node) == shape_axes * 4 + 4 + 4);

struct DatabaseView {
  std::span<const Family> families;
  std::span<const Shape> shapes;
  std::span<const Node> nodes;  // [shapes], by family
};
[[nodiscard]] DatabaseView view_of(std::span<const std::byte> image);

// Both take a canonical key.
[[nodiscard]] Shape shape_of(const ops::KernelKey&);
[[nodiscard]] ShapePoint shape_point(const ops::KernelKey&);
[[nodiscard]] FamilyKey without_shape(ops::KernelKey);
[[nodiscard]] std::uint64_t code_of_gpu(std::string_view name);

}  // namespace echo::kernels
