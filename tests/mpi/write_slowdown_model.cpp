// A slowdown model of drawn trees as a file, for tests.
// usage: write_slowdown_model FILE TREES DEPTH [beaten | metrics]
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "slowdown/model_file.hpp"
#include "tests/support/sample_learned.hpp"

namespace {

using namespace echo;

// All leaves at the same depth.
void grow(testing::Draws& draws, std::int32_t depth, std::vector<slowdown::ForestNode>& nodes) {
  const std::size_t at = nodes.size();
  nodes.emplace_back();
  if (depth == 0) {
    nodes[at].threshold = static_cast<float>(draws.between(-0.01, 0.01));
    return;
  }
  slowdown::ForestNode node{
      .threshold = static_cast<float>(draws.unit()),
      .feature = draws.below(static_cast<std::int32_t>(slowdown::simulator_feature_count))};
  node.left = static_cast<std::int32_t>(nodes.size());
  grow(draws, depth - 1, nodes);
  node.right = static_cast<std::int32_t>(nodes.size());
  grow(draws, depth - 1, nodes);
  nodes[at] = node;
}

slowdown::LearnedModel model_of(std::int32_t trees, std::int32_t depth, const std::string& kind) {
  if (kind == "metrics") return testing::sample_metric_model(1);
  testing::Draws draws(9);
  slowdown::LearnedModel model{.name = "drawn", .base = slowdown::Base::contention};
  model.ranges.assign(slowdown::simulator_feature_count, {-30.0, 30.0});
  slowdown::Forest forest{.base = 1.0F};
  for (std::int32_t tree = 0; tree < trees; ++tree) {
    forest.roots.push_back(static_cast<std::int32_t>(forest.nodes.size()));
    grow(draws, depth, forest.nodes);
  }
  model.kernel = {.residual = std::move(forest), .seen = {0.3, 1.0}};
  model.evidence.rows = 100;
  model.evidence.errors = {{"this model", "by row", kind == "beaten" ? 0.125 : 0.05, 0.0},
                           {"no slowdown", "by row", 0.1, 0.0}};
  return model;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return std::puts("usage: write_slowdown_model FILE TREES DEPTH [beaten | metrics]"), 2;
  const auto model = model_of(std::atoi(argv[2]), std::atoi(argv[3]), argc > 4 ? argv[4] : "");
  std::ofstream(argv[1], std::ios::binary) << slowdown::model_to_bytes(model);
  return 0;
}
