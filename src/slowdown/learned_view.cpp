#include "slowdown/learned_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "slowdown/learned_image.hpp"
#include "slowdown/rate_kept.hpp"

namespace echo::slowdown {

namespace {

using Features = std::array<double, simulator_feature_count>;

// Consecutive tables, from a given place on.
class Tables {
 public:
  Tables(std::span<const std::byte> image, std::size_t at) : image_(image), at_(at) {}
  template <class Row>
  std::span<const Row> next(std::int64_t rows) {
    ECHO_EXPECT(rows >= 0 && at_ <= image_.size() &&
                static_cast<std::uint64_t>(rows) <= (image_.size() - at_) / sizeof(Row));
    const auto* first = reinterpret_cast<const Row*>(image_.data() + at_);
    at_ += padded(static_cast<std::size_t>(rows) * sizeof(Row));
    return {first, static_cast<std::size_t>(rows)};
  }
  [[nodiscard]] bool at_end() const { return at_ == image_.size(); }

 private:
  std::span<const std::byte> image_;
  std::size_t at_;
};

void check(const ForestView& forest) {
  const auto size = static_cast<std::int64_t>(forest.nodes.size());
  ECHO_EXPECT(std::isfinite(forest.base));
  for (std::int64_t i = 0; i < size; ++i) {
    const ImageNode& node = forest.nodes[at(i)];
    ECHO_EXPECT(std::isfinite(node.threshold));
    ECHO_EXPECT(node.feature >= -1 && node.feature < 2 * static_cast<std::int32_t>(simulator_feature_count));
    if (node.feature < 0) continue;
    ECHO_EXPECT(node.left > i && node.left < size && node.right > i && node.right < size);
  }
  for (const std::int32_t root : forest.roots) ECHO_EXPECT(root >= 0 && root < size);
}

// How many numbers a network of those widths has.
std::int64_t numbers_of(std::span<const std::int32_t> widths) {
  ECHO_EXPECT(widths.size() >= 2 && widths.size() <= max_layers + 1 && widths.back() == 1);
  ECHO_EXPECT(widths.front() == static_cast<std::int32_t>(simulator_feature_count));
  std::int64_t numbers = 2 * std::int64_t{widths.front()};
  for (std::size_t l = 1; l < widths.size(); ++l) {
    ECHO_EXPECT(widths[l] >= 1 && widths[l] <= max_width);
    numbers += (std::int64_t{widths[l - 1]} + 1) * widths[l];
  }
  return numbers;
}

RateView view_of(const ImageRate& rate, Tables& tables) {
  RateView view{.kind = rate.kind, .seen = rate.seen};
  ECHO_EXPECT(rate.kind == RateView::Kind::none || (rate.seen.low > 0.0 && rate.seen.low <= rate.seen.high));
  if (rate.kind == RateView::Kind::forest) {
    view.forest.nodes = tables.next<ImageNode>(rate.first);
    view.forest.roots = tables.next<std::int32_t>(rate.second);
    view.forest.base = rate.base;
    check(view.forest);
  } else if (rate.kind == RateView::Kind::mlp) {
    view.mlp.widths = tables.next<std::int32_t>(rate.first);
    view.mlp.numbers = tables.next<double>(numbers_of(view.mlp.widths));
    ECHO_EXPECT(std::all_of(view.mlp.numbers.begin(), view.mlp.numbers.end(),
                            [](double number) { return std::abs(number) <= max_weight; }));
  } else {
    ECHO_EXPECT(rate.kind == RateView::Kind::none);
  }
  return view;
}

double evaluate(const ForestView& forest, const Features& features) {
  std::array<float, simulator_feature_count> values{};
  for (std::size_t i = 0; i < features.size(); ++i) values[i] = static_cast<float>(features[i]);
  float sum = forest.base;
  for (const std::int32_t root : forest.roots) {
    const ImageNode* node = &forest.nodes[at(root)];
    while (node->feature >= 0) {
      const float value = values[at(node->feature >> 1)];
      const bool goes_left = std::isnan(value) ? (node->feature & 1) != 0 : value < node->threshold;
      node = &forest.nodes[at(goes_left ? node->left : node->right)];
    }
    sum += node->threshold;
  }
  return sum;
}

double evaluate(const MlpView& mlp, const Features& features) {
  const double* mean = mlp.numbers.data();
  const double* scale = mean + features.size();
  std::array<double, max_width> values, sums;
  for (std::size_t i = 0; i < features.size(); ++i)
    values[i] = std::isnan(features[i]) ? 0.0 : (features[i] - mean[i]) / scale[i];
  const double* next = scale + features.size();
  for (std::size_t l = 1; l < mlp.widths.size(); ++l) {
    const auto inputs = static_cast<std::size_t>(mlp.widths[l - 1]);
    const auto outputs = static_cast<std::size_t>(mlp.widths[l]);
    std::copy_n(next, outputs, sums.begin());
    next += outputs;
    for (std::size_t i = 0; i < inputs; ++i, next += outputs)
      for (std::size_t j = 0; j < outputs; ++j) sums[j] += next[j] * values[i];
    const bool last = l + 1 == mlp.widths.size();
    for (std::size_t j = 0; j < outputs; ++j) values[j] = last || sums[j] > 0.0 ? sums[j] : 0.0;
  }
  return values[0];
}

double evaluate(const RateView& rate, const Features& features) {
  return rate.kind == RateView::Kind::forest ? evaluate(rate.forest, features) : evaluate(rate.mlp, features);
}

}  // namespace

LearnedView::LearnedView(std::span<const std::byte> image) : image_(image) {
  ECHO_EXPECT(reinterpret_cast<std::uintptr_t>(image.data()) % alignof(double) == 0);
  Tables tables(image, 0);
  const ImageHeader& header = tables.next<ImageHeader>(1).front();
  ECHO_EXPECT(header.magic == image_magic);
  ECHO_EXPECT(header.base == Base::none || header.base == Base::contention);
  ECHO_EXPECT(header.contention.sustained_memory > 0.0);
  base_ = header.base;
  contention_ = header.contention;
  ranges_ = header.ranges;
  kernel_ = view_of(header.kernel, tables);
  collective_ = view_of(header.collective, tables);
  ECHO_EXPECT(kernel_.kind != RateView::Kind::none && tables.at_end());
}

Factors LearnedView::predict(const ops::KernelPrice& kernel, const ops::CollectiveEstimate& collective,
                             const Machine& machine) const {
  ECHO_EXPECT(!is_empty());
  if (collective.channels == 0) return contend(contention_, kernel, collective, machine);  // copy engines
  Features features{};
  simulator_features(kernel, collective, machine, features);
  for (std::size_t i = 0; i < features.size(); ++i) features[i] = held(features[i], ranges_[i]);
  const Factors white_box = contend(contention_, kernel, collective, machine);
  const auto learned = [&](const RateView& rate, double base_factor) {
    const double base = base_ == Base::contention ? 1.0 / base_factor : 1.0;
    return factor_of(kept_of(base, evaluate(rate, features), rate.seen));
  };
  const bool both = collective_.kind != RateView::Kind::none;
  return {.kernel = learned(kernel_, white_box.kernel),
          .collective = both ? learned(collective_, white_box.collective) : white_box.collective};
}

bool operator==(const LearnedView& a, const LearnedView& b) {
  return a.image_.size() == b.image_.size() &&
         (a.image_.empty() || std::memcmp(a.image_.data(), b.image_.data(), a.image_.size()) == 0);
}

}  // namespace echo::slowdown
