#include <cstring>
#include <string>
#include <vector>

#include "base/contract.hpp"
#include "slowdown/learned_image.hpp"
#include "slowdown/learned_view.hpp"

namespace echo::slowdown {

namespace {

template <class Row>
void append(std::string& image, const std::vector<Row>& rows) {
  const std::size_t at = image.size();
  image.resize(at + padded(rows.size() * sizeof(Row)));
  if (!rows.empty()) std::memcpy(image.data() + at, rows.data(), rows.size() * sizeof(Row));
}

ImageRate append(std::string& image, const Forest& forest) {
  std::vector<ImageNode> nodes;
  nodes.reserve(forest.nodes.size());
  for (const ForestNode& node : forest.nodes)
    nodes.push_back({node.threshold, node.feature < 0 ? -1 : 2 * node.feature + (node.missing_left ? 1 : 0),
                     node.left, node.right});
  append(image, nodes);
  append(image, forest.roots);
  return {.kind = RateView::Kind::forest,
          .base = forest.base,
          .first = static_cast<std::int64_t>(nodes.size()),
          .second = static_cast<std::int64_t>(forest.roots.size())};
}

ImageRate append(std::string& image, const Mlp& mlp) {
  std::vector<std::int32_t> widths{mlp.layers.front().inputs};
  std::vector<double> numbers = mlp.mean;
  numbers.insert(numbers.end(), mlp.scale.begin(), mlp.scale.end());
  for (const MlpLayer& layer : mlp.layers) {
    widths.push_back(layer.outputs);
    numbers.insert(numbers.end(), layer.bias.begin(), layer.bias.end());
    const auto inputs = static_cast<std::size_t>(layer.inputs);
    for (std::size_t i = 0; i < inputs; ++i)
      for (std::size_t j = 0; j < layer.bias.size(); ++j) numbers.push_back(layer.weights[j * inputs + i]);
  }
  append(image, widths);
  append(image, numbers);
  return {.kind = RateView::Kind::mlp, .first = static_cast<std::int64_t>(widths.size())};
}

ImageRate append(std::string& image, const RateModel& rate) {
  ImageRate written = std::visit([&](const auto& kind) { return append(image, kind); }, rate.residual);
  written.seen = rate.seen;
  return written;
}

}  // namespace

std::string make_image(const LearnedModel& model) {
  ECHO_EXPECT(model.features == FeatureSet::simulator && is_sound(model));
  ImageHeader header{.base = model.base, .contention = model.contention};
  for (std::size_t i = 0; i < header.ranges.size(); ++i) header.ranges[i] = model.ranges[i];
  std::string image(sizeof header, '\0');
  header.kernel = append(image, model.kernel);
  if (model.collective) header.collective = append(image, *model.collective);
  std::memcpy(image.data(), &header, sizeof header);
  return image;
}

}  // namespace echo::slowdown
