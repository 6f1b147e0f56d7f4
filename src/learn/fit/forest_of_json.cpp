// The library writes a tree as columns over its nodes: children (-1 = leaf), split feature and value; a leaf
// has its contribution in place of the split value. Nodes that pruning deleted are still among them, so only
// nodes reached by a walk from the root are copied, parents first. Numbers are read as single precision at
// once: read as double and then rounded, one in some 10^8 would be wrong.
#include "learn/fit/forest_of_json.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/at.hpp"
#include "base/error.hpp"

namespace echo::learn {

namespace {

using Json =
    nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, float>;

struct Tree {
  std::vector<std::int32_t> left, right, feature, default_left;
  std::vector<float> value, gain;
};

[[noreturn]] void refuse(const std::string& why) {
  throw UserError("this is not a tree model of xgboost: " + why, "give the JSON that xgboost 1.7 saves");
}

Tree read_tree(const Json& tree) {
  Tree read{.left = tree.at("left_children"),
            .right = tree.at("right_children"),
            .feature = tree.at("split_indices"),
            .default_left = {},
            .value = tree.at("split_conditions"),
            .gain = tree.at("loss_changes")};
  for (const Json& flag : tree.at("default_left"))  // 0 and 1; booleans in earlier versions
    read.default_left.push_back(flag.is_boolean() ? int{flag.get<bool>()} : flag.get<std::int32_t>());
  const std::size_t nodes = read.left.size();
  for (const std::size_t size : {read.right.size(), read.feature.size(), read.default_left.size(),
                                 read.value.size(), read.gain.size()})
    if (size != nodes) refuse("the columns of a tree differ in length");
  for (const Json& type : tree.at("split_type"))
    if (type.get<std::int32_t>() != 0) refuse("it has categorical splits");
  return read;
}

// Children behind their parent: a slot is kept for each as soon as its parent is copied.
void append(const Tree& tree, ReadForest& read) {
  auto& nodes = read.forest.nodes;
  struct Waiting {
    std::int32_t from;
    std::size_t to;
  };
  const std::size_t first = nodes.size();
  read.forest.roots.push_back(static_cast<std::int32_t>(first));
  nodes.emplace_back();
  std::vector<Waiting> waiting{{0, first}};
  while (!waiting.empty()) {
    const auto [from, to] = waiting.back();
    waiting.pop_back();
    if (from < 0 || static_cast<std::size_t>(from) >= tree.left.size()) refuse("a child is not a node");
    if (nodes.size() - first > tree.left.size()) refuse("a node is its own ancestor");
    const std::size_t node = at(from);
    nodes[to].threshold = tree.value[node];
    if (tree.left[node] < 0) continue;
    const std::int32_t feature = tree.feature[node];
    if (feature < 0 || static_cast<std::size_t>(feature) >= read.gain.size())
      refuse("a split is on an unknown feature");
    read.gain[at(feature)] += tree.gain[node];
    const auto child = static_cast<std::int32_t>(nodes.size());
    nodes[to] = {tree.value[node], feature, child, child + 1, tree.default_left[node] != 0};
    nodes.resize(nodes.size() + 2);
    waiting.push_back({tree.right[node], static_cast<std::size_t>(child) + 1});
    waiting.push_back({tree.left[node], static_cast<std::size_t>(child)});
  }
}

std::int32_t whole_number(const Json& text) { return std::stoi(text.get<std::string>()); }

ReadForest read_model(std::string_view text) {
  const Json json = Json::parse(text);
  const Json& learner = json.at("learner");
  const Json& shape = learner.at("learner_model_param");
  if (whole_number(shape.at("num_class")) > 1) refuse("it has several outputs");
  if (learner.at("gradient_booster").at("name") != "gbtree") refuse("its booster is not gbtree");
  const std::int32_t features = whole_number(shape.at("num_feature"));
  if (features < 1 || features > slowdown::max_width) refuse("it has too many features");
  ReadForest read;
  read.gain.assign(at(features), 0.0);
  read.forest.base = std::stof(shape.at("base_score").get<std::string>());
  for (const Json& tree : learner.at("gradient_booster").at("model").at("trees"))
    append(read_tree(tree), read);
  if (!slowdown::is_sound(read.forest, features)) refuse("a number in it is not finite");
  return read;
}

}  // namespace

ReadForest forest_of_json(std::string_view text) {
  try {
    return read_model(text);
  } catch (const Json::exception& problem) {
    refuse(problem.what());
  } catch (const std::logic_error& problem) {  // stoi, stof
    refuse(std::string("a number cannot be read (") + problem.what() + ")");
  }
}

}  // namespace echo::learn
