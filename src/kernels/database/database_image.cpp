#include "kernels/database/database_image.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "base/digest.hpp"
#include "kernels/knots.hpp"

namespace echo::kernels {

namespace {

using ops::KernelKind;

bool is_attention(KernelKind kind) {
  return kind == KernelKind::attention_forward || kind == KernelKind::attention_backward;
}

template <class Row>
std::span<const Row> table_at(std::span<const std::byte> image, std::uint64_t offset, std::uint64_t rows) {
  ECHO_EXPECT(offset <= image.size() && rows <= (image.size() - offset) / sizeof(Row));
  return {reinterpret_cast<const Row*>(image.data() + offset), static_cast<std::size_t>(rows)};
}

}  // namespace

DatabaseView view_of(std::span<const std::byte> image) {
  if (image.empty()) return {};
  ECHO_EXPECT(reinterpret_cast<std::uintptr_t>(image.data()) % alignof(std::uint64_t) == 0);
  const ImageHeader& header = table_at<ImageHeader>(image, 0, 1).front();
  const std::uint64_t shapes = sizeof(ImageHeader) + header.families * sizeof(Family);
  const std::uint64_t nodes = shapes + header.shapes * sizeof(Shape);
  return {table_at<Family>(image, sizeof(ImageHeader), header.families),
          table_at<Shape>(image, shapes, header.shapes), table_at<Node>(image, nodes, header.shapes)};
}

Shape shape_of(const ops::KernelKey& key) {
  return {{key.m, key.n, key.k, key.batch, key.groups, key.routing.rows, key.routing.reached}, 0.0F, 1.0};
}

// Attention over as many keys as queries is one step of its length, not two; a batch twice as large has twice
// the groups, which is one step as well.
ShapePoint shape_point(const ops::KernelKey& key) {
  const double m = octaves(key.m), n = octaves(key.n), batch = octaves(key.batch);
  const bool apart = key.groups == 1 && !is_attention(key.kind);
  return {static_cast<float>(m),
          static_cast<float>(is_attention(key.kind) ? n - m : n),
          static_cast<float>(octaves(key.k)),
          static_cast<float>(batch),
          static_cast<float>(apart ? 0.0 : octaves(key.groups) - batch),
          static_cast<float>(key.routing.rows > 0 ? octaves(key.routing.rows) - m : 0.0)};
}

FamilyKey without_shape(ops::KernelKey key) {
  key.m = key.n = key.k = key.batch = key.groups = 1;
  key.routing.rows = key.routing.reached = 0;
  const ops::KernelNumbers numbers = ops::numbers_of(key);
  FamilyKey like{};
  std::copy(numbers.begin(), numbers.end(), like.begin());
  return like;
}

std::uint64_t code_of_gpu(std::string_view name) { return hash64(std::as_bytes(std::span(name))); }

}  // namespace echo::kernels
