// Measurements that replace the model.
//
// Problem: a user's own GPU, library and version differ from those to which the constants were fitted. A
// table of measured kernels is more accurate, but only for the shapes that somebody timed, and at the clocks
// of a micro-benchmark that pauses between kernels, whereas a training step runs at lower ones. Idea: a
// measurement is kept as a ratio to the model's time of the same kernel under the same conditions (clocks of
// a micro-benchmark, unless it states that they were sustained; including the work of a serving library
// around the kernel, where the time contains it), and the ratio multiplies the price of the training step:
//   price = modelled(sustained clocks) * measured / modelled(clocks of the measurement)
// A memory-bound kernel, whose time is independent of the clocks of the SMs, thus takes exactly its measured
// time, and a matrix product keeps the factor by which training steps are slower than micro-benchmarks.
//   same shape       the median ratio of its repeats. Error: their own spread, half of their range, at least
//                    1 %. (make_image.cpp)
//   shapes nearby    everything but the shape must agree (GPU, kind, precision, layout, library, flags,
//                    window). Over the 8 nearest shapes i within 1.5 octaves, d_i octaves away in m, n, k,
//                    batch, groups and rows that routing leaves:
//                      ratio = sum w_i ratio_i / sum w_i,   w_i = 1 / (d_i^2 + 0.2^2)
//                      error = sqrt(scatter^2 + (5 % + 5 % d)^2),   scatter: that of the ratios, with the
//                      same weights; d: distance of the nearest
//                    The 0.2 keeps a neighbour at a distance of one row (4096 and 4097 tokens) from
//                   outweighing all others.
//   nothing nearby   the model alone.
// Chosen on the published tables of three GPUs (ai-dynamo/aiconfigurator, products of 512 and more and
// attention; bf16 and fp8), by the mean error over shapes left out at random, or whole (n, k) left out, with
// a fifth of the rest kept: model alone 6 to 43 %, with its neighbours 5 to 10 %; beyond 1.5 octaves
// neighbours are hardly better than the model. Shrinking the ratio towards 1 with distance gave no
// improvement. Neglected: whether neighbours surround the shape or are on one side of it; tile sizes between
// shapes.
#include "kernels/database/database.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "kernels/database/database_image.hpp"
#include "ops/canonical_kernel.hpp"

namespace echo::kernels {

namespace {

constexpr std::size_t most_neighbours = 8;
constexpr std::size_t small_tree = 16;  // faster looked at whole
constexpr double softening = 0.2;       // octaves
constexpr float reach = 1.5F;           // octaves
constexpr double error_at_hand = 0.05, error_per_octave = 0.05;

struct Near {
  float square = 0.0F;  // of the distance, octaves
  std::uint32_t shape = 0;
  friend auto operator<=>(const Near&, const Near&) = default;
};

// The nearest nodes of a tree, nearest first; of two equally near, the shape that is listed first.
class NearestNodes {
 public:
  NearestNodes(std::span<const Node> tree, const ShapePoint& from) : from_(from) { look_in(tree); }
  [[nodiscard]] std::span<const Near> found() const { return {found_.data(), count_}; }

 private:
  void look_in(std::span<const Node> tree) {
    if (tree.size() <= small_tree) {
      for (const Node& node : tree) take(node);
      return;
    }
    const std::size_t middle = tree.size() / 2;
    const Node& node = tree[middle];
    take(node);
    const float apart = from_[node.axis] - node.at[node.axis];
    const auto below = tree.first(middle), above = tree.subspan(middle + 1);
    look_in(apart < 0.0F ? below : above);
    const float before = std::exchange(outside_[node.axis], apart);
    if (square_of_outside() <= farthest()) look_in(apart < 0.0F ? above : below);
    outside_[node.axis] = before;
  }
  // A bound from the distance to the box that contains a subtree. It is summed as distances are, so that
  // rounding never makes it the larger.
  [[nodiscard]] float square_of_outside() const {
    float square = 0.0F;
    for (const float axis : outside_) square += axis * axis;
    return square;
  }
  [[nodiscard]] float farthest() const {
    return count_ < most_neighbours ? reach * reach : found_[count_ - 1].square;
  }
  void take(const Node& node) {
    Near near{0.0F, node.shape};
    for (std::size_t axis = 0; axis < shape_axes; ++axis)
      near.square += (from_[axis] - node.at[axis]) * (from_[axis] - node.at[axis]);
    if (near.square > farthest()) return;
    if (count_ == most_neighbours) {
      if (!(near < found_[count_ - 1])) return;
      --count_;
    }
    std::size_t at = count_++;
    for (; at > 0 && near < found_[at - 1]; --at) found_[at] = found_[at - 1];
    found_[at] = near;
  }

  const ShapePoint& from_;
  ShapePoint outside_{};  // how far the box being looked at is away, by axis
  std::array<Near, most_neighbours> found_{};
  std::size_t count_ = 0;
};

Evidence interpolated(std::span<const Near> nearest, std::span<const Shape> shapes) {
  const auto weight = [](const Near& near) { return 1.0 / (near.square + softening * softening); };
  double weights = 0.0, ratio = 0.0, scatter = 0.0;
  for (const Near& near : nearest) {
    weights += weight(near);
    ratio += weight(near) * shapes[near.shape].ratio;
  }
  ratio /= weights;
  for (const Near& near : nearest) {
    const double off = shapes[near.shape].ratio / ratio - 1.0;
    scatter += weight(near) * off * off;
  }
  const double far =
      error_at_hand + error_per_octave * std::sqrt(static_cast<double>(nearest.front().square));
  return {ops::Grade::interpolated, ratio, std::sqrt(scatter / weights + far * far)};
}

}  // namespace

Database::Database(std::span<const std::byte> image) : image_(image) { static_cast<void>(view_of(image)); }

bool operator==(const Database& a, const Database& b) {
  return std::equal(a.image_.begin(), a.image_.end(), b.image_.begin(), b.image_.end());
}

Evidence Database::find(std::string_view gpu, const ops::KernelKey& given) const {
  if (is_empty()) return {};
  const DatabaseView view = view_of(image_);
  const ops::KernelKey key = ops::canonical(given);
  const Family wanted{code_of_gpu(gpu), without_shape(key)};
  const auto family =
      std::lower_bound(view.families.begin(), view.families.end(), wanted,
                       [](const Family& a, const Family& b) { return a.order() < b.order(); });
  if (family == view.families.end() || family->order() != wanted.order()) return {};
  const auto shapes = view.shapes.subspan(family->first, family->count);
  const Shape shape = shape_of(key);
  const auto same = std::lower_bound(shapes.begin(), shapes.end(), shape,
                                     [](const Shape& a, const Shape& b) { return a.size < b.size; });
  if (same != shapes.end() && same->size == shape.size)
    return {ops::Grade::measured, same->ratio, static_cast<double>(same->error)};
  const ShapePoint from = shape_point(key);
  const NearestNodes nearest(view.nodes.subspan(family->first, family->count), from);
  return nearest.found().empty() ? Evidence{} : interpolated(nearest.found(), shapes);
}

}  // namespace echo::kernels
