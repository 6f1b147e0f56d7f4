// Turns a profile into a database: canonical keys, repeats merged, ratios to the model, a search tree for
// the neighbours of each family.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/named_table.hpp"
#include "kernels/database/database.hpp"
#include "kernels/database/database_image.hpp"
#include "kernels/database/price_known.hpp"
#include "ops/canonical_kernel.hpp"

namespace echo::kernels {

namespace {

constexpr double least_error = 0.01;  // repeats on another day and another card differ by about this much

// One measurement as a ratio, at its place in the order of the image.
struct Ratio {
  Family family;  // its range is empty still
  Shape shape;
  ops::KernelKey key;
  double spread = 0.0;
};

bool is_before(const Ratio& a, const Ratio& b) {
  if (a.family.order() != b.family.order()) return a.family.order() < b.family.order();
  if (a.shape.size != b.shape.size) return a.shape.size < b.shape.size;
  return std::tie(a.shape.ratio, a.spread) < std::tie(b.shape.ratio, b.spread);
}

bool is_same_kernel(const Ratio& a, const Ratio& b) {
  return a.family.order() == b.family.order() && a.shape.size == b.shape.size;
}

std::vector<Ratio> ratios_of(const Profile& profile, std::span<const machine::GpuSpec> gpus,
                             std::span<const KernelConstants> constants) {
  std::vector<const machine::GpuSpec*> known;
  for (const std::string& name : profile.gpus) {
    const std::int32_t gpu = find_named(gpus, name);
    known.push_back(gpu < 0 ? nullptr : &gpus[at(gpu)]);
  }
  std::vector<Ratio> ratios;
  for (const Measurement& row : profile.rows) {
    const machine::GpuSpec* gpu = known[at(row.gpu)];
    if (gpu == nullptr) continue;
    const auto modelled = modelled_alike(row, *gpu, constants);
    if (!modelled) continue;
    const ops::KernelKey key = ops::canonical(row.key);
    Ratio one{{code_of_gpu(gpu->name), without_shape(key)}, shape_of(key), key, row.spread};
    one.shape.ratio = row.seconds * 1e12 / static_cast<double>(modelled->count());
    ratios.push_back(one);
  }
  std::sort(ratios.begin(), ratios.end(), is_before);
  return ratios;
}

double median_of_sorted(std::span<const Ratio> sorted) {
  const std::size_t half = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[half].shape.ratio;
  return (sorted[half - 1].shape.ratio + sorted[half].shape.ratio) / 2.0;
}

// Merges repeats: their median, with the error that they state themselves, or half of their range.
Ratio one_of(std::span<const Ratio> repeats) {
  Ratio one = repeats.front();
  one.shape.ratio = median_of_sorted(repeats);
  double spread = 0.0;
  for (const Ratio& repeat : repeats) spread = std::max(spread, repeat.spread);
  const double range = repeats.back().shape.ratio - repeats.front().shape.ratio;
  one.shape.error = static_cast<float>(std::max({least_error, spread, range / 2.0 / one.shape.ratio}));
  return one;
}

std::vector<Ratio> without_repeats(std::span<const Ratio> sorted) {
  std::vector<Ratio> single;
  for (std::size_t first = 0, end = 0; first < sorted.size(); first = end) {
    for (end = first + 1; end < sorted.size() && is_same_kernel(sorted[first], sorted[end]);) ++end;
    single.push_back(one_of(sorted.subspan(first, end - first)));
  }
  return single;
}

// Moves the median along the widest axis to the middle, and recurses into both halves.
void grow_tree(std::span<Node> nodes) {
  if (nodes.empty()) return;
  std::uint32_t widest = 0;
  float extent = -1.0F;
  for (std::uint32_t axis = 0; axis < shape_axes; ++axis) {
    const auto [low, high] = std::minmax_element(
        nodes.begin(), nodes.end(), [=](const Node& a, const Node& b) { return a.at[axis] < b.at[axis]; });
    if (high->at[axis] - low->at[axis] > extent) widest = axis, extent = high->at[axis] - low->at[axis];
  }
  const std::size_t middle = nodes.size() / 2;
  std::nth_element(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(middle), nodes.end(),
                   [=](const Node& a, const Node& b) {
                     return std::tie(a.at[widest], a.shape) < std::tie(b.at[widest], b.shape);
                   });
  nodes[middle].axis = widest;
  grow_tree(nodes.first(middle));
  grow_tree(nodes.subspan(middle + 1));
}

template <class Row>
void append(std::string& image, const std::vector<Row>& rows) {
  const std::size_t at = image.size();
  image.resize(at + rows.size() * sizeof(Row));
  if (!rows.empty()) std::memcpy(image.data() + at, rows.data(), rows.size() * sizeof(Row));
}

}  // namespace

std::string make_image(const Profile& profile, std::span<const machine::GpuSpec> gpus,
                       std::span<const KernelConstants> constants) {
  std::vector<Family> families;
  std::vector<Shape> shapes;
  std::vector<Node> nodes;
  for (const Ratio& one : without_repeats(ratios_of(profile, gpus, constants))) {
    if (families.empty() || families.back().order() != one.family.order()) {
      families.push_back(one.family);
      families.back().first = static_cast<std::uint32_t>(shapes.size());
    }
    nodes.push_back({shape_point(one.key), families.back().count++, 0});
    shapes.push_back(one.shape);
  }
  if (shapes.empty()) return {};
  for (const Family& family : families) grow_tree(std::span(nodes).subspan(family.first, family.count));
  std::string image;
  append(image, std::vector{ImageHeader{families.size(), shapes.size()}});
  append(image, families);
  append(image, shapes);
  append(image, nodes);
  return image;
}

}  // namespace echo::kernels
