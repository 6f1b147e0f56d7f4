// A learned model of the simulator's features as flat bytes: a header and tables, no pointers. The workers of
// a node share one copy, mapped at different addresses. View and model agree bit for bit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "slowdown/learned.hpp"

namespace echo::slowdown {

// 16 bytes, four to a cache line.
struct ImageNode {
  float threshold = 0.0F;
  std::int32_t feature = -1;         // -1 = leaf; inner: 2 * feature + (1 if a NaN goes left)
  std::int32_t left = 0, right = 0;  // indices of nodes of the same forest
};
static_assert(sizeof(ImageNode) == 16);

// A regressor inside an image: its tables.
struct ForestView {
  std::span<const ImageNode> nodes;
  std::span<const std::int32_t> roots;
  float base = 0.0F;
};
struct MlpView {
  std::span<const std::int32_t> widths;  // [layers + 1], features first, 1 last
  // mean and 1 row of scale, [features] each; then per layer the bias [outputs] and the weights
  // [inputs][outputs]: transposed relative to MlpLayer, so that outputs are summed side by side.
  std::span<const double> numbers;
};
struct RateView {
  enum class Kind : std::int32_t { none, forest, mlp };
  Kind kind = Kind::none;
  Range seen{};
  ForestView forest;
  MlpView mlp;
};

// Immutable view of bytes owned by the caller.
class LearnedView {
 public:
  LearnedView() = default;  // empty; must not be used
  // `image`: from make_image(), aligned to 8 bytes; must outlive the view. ContractViolation: not an image.
  explicit LearnedView(std::span<const std::byte> image);

  // Same as predict() of the model; does not allocate.
  [[nodiscard]] Factors predict(const ops::KernelPrice&, const ops::CollectiveEstimate&,
                                const Machine&) const;
  [[nodiscard]] bool is_empty() const { return image_.empty(); }
  [[nodiscard]] std::span<const std::byte> image() const { return image_; }
  friend bool operator==(const LearnedView&, const LearnedView&);  // equal bytes

 private:
  std::span<const std::byte> image_;
  Base base_ = Base::none;
  Contention contention_{};
  std::array<Range, simulator_feature_count> ranges_{};
  RateView kernel_, collective_;
};

// Precondition: is_sound, feature set `simulator`. Equal models have equal images; evidence is not included.
[[nodiscard]] std::string make_image(const LearnedModel&);

}  // namespace echo::slowdown
