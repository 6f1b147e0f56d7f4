// A catalog and sweep specs made in code, for tests of the design space without files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "simulate/catalog.hpp"
#include "sweep/spec.hpp"
#include "tests/support/fixtures.hpp"

namespace echo::support {

inline simulate::Catalog small_catalog() {
  simulate::Catalog catalog;
  catalog.gpus = {an_a100()};
  catalog.models = {tiny_gpt(), tiny_llama()};
  machine::ClusterSpec nodes = eight_gpu_nodes();
  nodes.gpu = machine::GpuId(0);
  nodes.topology = machine::TopologyId(0);
  catalog.clusters = {nodes};
  training::FrameworkSpec core = plain_framework();
  core.name = "megatron-core";
  core.overlap = {.grad_reduce = true, .param_gather = true, .pipeline = true, .tensor = false};
  catalog.frameworks = {core, plain_framework()};
  return catalog;
}

inline sweep::Dimension numbers(sweep::Axis axis, const std::vector<std::int64_t>& values) {
  sweep::AxisColumn column{axis, {}};
  for (const std::int64_t value : values) column.values.push_back({value, ""});
  return {{column}};
}
inline sweep::Dimension names(sweep::Axis axis, const std::vector<std::string>& values) {
  sweep::AxisColumn column{axis, {}};
  for (const std::string& value : values) column.values.push_back({0, value});
  return {{column}};
}
inline sweep::Rule derive(std::string name, std::string expression) {
  return {sweep::RuleKind::derive, std::move(name), std::move(expression), ""};
}
inline sweep::Rule keep(std::string name, std::string expression) {
  return {sweep::RuleKind::keep, std::move(name), std::move(expression), ""};
}

// tiny-gpt on nodes of 8, global batch 32, and `more`.
inline sweep::SweepSpec small_sweep(std::vector<sweep::Dimension> more, std::vector<sweep::Rule> rules = {}) {
  sweep::SweepSpec spec;
  spec.dimensions = {names(sweep::Axis::model, {"tiny-gpt"}), names(sweep::Axis::cluster, {"nodes-of-8"}),
                     numbers(sweep::Axis::global_batch, {32})};
  spec.dimensions.insert(spec.dimensions.end(), more.begin(), more.end());
  spec.rules = std::move(rules);
  return spec;
}

}  // namespace echo::support
