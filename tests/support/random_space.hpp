// Random small sweeps over every kind of axis, alone, paired and in groups, with the settings that cannot
// matter at some of their points; and their enumeration one by one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/counter_rng.hpp"
#include "sweep/language/point_state.hpp"
#include "sweep/space/config_id.hpp"
#include "sweep/space/raw_space.hpp"
#include "tests/support/small_space.hpp"

namespace echo::support {

// small_catalog() with a mixture of experts, a second GPU and two layer tables.
inline simulate::Catalog rich_catalog() {
  simulate::Catalog catalog = small_catalog();
  training::ModelSpec experts = tiny_llama();
  experts.name = "tiny-moe";
  experts.experts = 4;
  catalog.models.push_back(experts);
  catalog.gpus.push_back(an_a100());
  catalog.gpus.back().name = "other-gpu";
  catalog.clusters[0].nccl_version = 22105;
  catalog.layer_tables = {{4, 4}, {3, 5}};
  return catalog;
}

class RandomSweep {
 public:
  explicit RandomSweep(std::uint64_t number) : number_(number) {
    const int groups = pick(3);
    spec.seed = number;
    spec.dimensions = dimensions();
    for (int g = 0; g < groups; ++g) spec.groups.push_back({"group" + std::to_string(g), dimensions()});
    const std::vector<sweep::Rule> rules{keep("stages", "vpp == 1 or pp > 1"),
                                         keep("plain", "schedule != 'interleaved' or vpp > 1"),
                                         keep("narrow", "tp <= 2 or zero == 0"),
                                         derive("sequence_parallel", "tp > 1 and zero > 0"),
                                         derive("micro_batch", "vpp * 2 - tp"),
                                         keep("not-both", "not (overlap_tp and overlap_p2p)"),
                                         derive("etp", "max(1, tp // 2)"),
                                         keep("moe", "model.experts % ep == 0"),
                                         keep("none", "tp > 4"),
                                         derive("half", "dp / 2"),
                                         keep("own-gpu", "gpu == 'a100' or pp == 1"),
                                         keep("always", "gpus >= 1")};
    for (const sweep::Rule& rule : rules) {
      if (pick(8) == 0) spec.rules.push_back(rule);
    }
    for (const sweep::Rule& rule : spec.rules) {  // an axis is given or derived, not both
      for (sweep::SubSpace& group : spec.groups) drop(group.dimensions, rule.name);
      drop(spec.dimensions, rule.name);
    }
  }
  sweep::SweepSpec spec;

 private:
  int pick(int n) {
    return static_cast<int>(draw(20261121, number_, next_++) % static_cast<std::uint64_t>(n));
  }

  static void drop(std::vector<sweep::Dimension>& from, const std::string& axis) {
    for (sweep::Dimension& dimension : from) {
      std::erase_if(dimension.columns,
                    [&](const sweep::AxisColumn& column) { return info_of(column.axis).name == axis; });
    }
    std::erase_if(from, [](const sweep::Dimension& dimension) { return dimension.columns.empty(); });
  }

  sweep::AxisColumn some(sweep::AxisColumn column) {  // one to three of its values, perhaps one twice
    sweep::AxisColumn out{column.axis, {}};
    for (int i = 1 + pick(3); i > 0; --i)
      out.values.push_back(
          column.values[static_cast<std::size_t>(pick(static_cast<int>(column.values.size())))]);
    return out;
  }

  std::vector<sweep::Dimension> dimensions() {
    using sweep::Axis;
    const std::vector<sweep::Dimension> all{numbers(Axis::tp, {1, 2, 4}),
                                            numbers(Axis::pp, {1, 2}),
                                            numbers(Axis::dp, {1, 2, 4}),
                                            numbers(Axis::vpp, {1, 2}),
                                            names(Axis::schedule, {"1f1b", "gpipe", "interleaved"}),
                                            numbers(Axis::zero, {0, 1, 2}),
                                            numbers(Axis::sequence_parallel, {0, 1}),
                                            numbers(Axis::overlap_tp, {0, 1}),
                                            numbers(Axis::overlap_p2p, {0, 1}),
                                            numbers(Axis::overlap_grad_reduce, {0, 1}),
                                            numbers(Axis::overlap_param_gather, {0, 1}),
                                            numbers(Axis::embedding_is_layer, {0, 1}),
                                            numbers(Axis::etp, {1, 2}),
                                            names(Axis::gpu, {"a100", "other-gpu"}),
                                            numbers(Axis::micro_batch, {1, 2, 4}),
                                            numbers(Axis::layer_split, {-1, 0, 1}),
                                            names(Axis::recompute, {"none", "full"}),
                                            versions(),
                                            numbers(Axis::cp, {1, 2})};
    std::vector<sweep::Dimension> out{names(Axis::cluster, {"nodes-of-8"}),
                                      numbers(Axis::global_batch, {32})};
    out.push_back({{some(names(Axis::model, {"tiny-gpt", "tiny-llama", "tiny-moe"}).columns[0])}});
    for (const sweep::Dimension& axis : all) {
      if (pick(3) != 0) continue;
      const sweep::AxisColumn column = some(axis.columns[0]);
      sweep::Dimension& last = out.back();
      if (pick(4) == 0 && last.columns[0].axis != Axis::cluster &&
          last.columns[0].values.size() == column.values.size()) {
        last.columns.push_back(column);
      } else {
        out.push_back({{column}});
      }
    }
    return out;
  }
  static sweep::Dimension versions() {
    return {{sweep::AxisColumn{sweep::Axis::nccl_version, {{22105, "2.21.5"}, {22304, "2.23.4"}}}}};
  }

  std::uint64_t number_, next_ = 0;
};

// One raw combination with every step run, none left out after a failure.
struct OneByOne {
  bool kept = true;
  std::vector<bool> failed;  // [rule]
  std::int32_t blamed = -1;  // the first in file order
  std::uint64_t config_id = 0;
};
inline OneByOne look_at(const sweep::RawSpace& space, std::int64_t raw) {
  OneByOne out;
  const sweep::Program& program = space.program(space.group_of(raw));
  std::vector<std::int64_t> digits;
  space.digits_of(raw, digits);
  sweep::PointState state(program);
  out.failed.assign(program.rules.size(), false);
  for (std::size_t level = 0; level <= digits.size(); ++level) {
    if (level > 0) assign(program, level - 1, digits[level - 1], state);
    for (const sweep::Step& step : program.steps[level]) {
      if (!run_step(program, space.catalog(), step, state))
        out.failed[static_cast<std::size_t>(step.rule)] = true;
    }
  }
  for (std::size_t r = out.failed.size(); r-- > 0;) {
    if (out.failed[r]) out.blamed = static_cast<std::int32_t>(r), out.kept = false;
  }
  if (out.kept) out.config_id = sweep::config_id_of(config_of(state, space.catalog()), space.catalog());
  return out;
}

}  // namespace echo::support
