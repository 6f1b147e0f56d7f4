#include "config/sweep_file/workload_growth.hpp"

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <utility>

#include "simulate/replay/replay_shape.hpp"

namespace echo::config {

using sweep::Axis;
using trace::Trace;

namespace {

// The first value of the axis other than `traced`; nothing where there is none.
std::optional<std::int64_t> other_value(const sweep::SweepSpec& spec, Axis axis, std::int64_t traced) {
  std::optional<std::int64_t> found;
  const auto look = [&](const std::vector<sweep::Dimension>& dimensions) {
    for (const sweep::Dimension& dimension : dimensions)
      for (const sweep::AxisColumn& column : dimension.columns)
        for (const sweep::AxisValue& value : column.values)
          if (column.axis == axis && value.number != traced && !found) found = value.number;
  };
  look(spec.dimensions);
  for (const sweep::SubSpace& group : spec.groups) look(group.dimensions);
  return found;
}

// "1" (8 ranks), "2" (2 ranks): those of more than one rank whose role the trace does not say.
std::string groups_without_role(const Trace& trace) {
  constexpr int most = 8;
  std::string text;
  int count = 0;
  for (const trace::Group& group : trace.groups)
    if (group.role == trace::GroupRole::unknown && group.ranks.size() > 1 && ++count <= most)
      text += (text.empty() ? "\"" : ", \"") + group.name + "\" (" + std::to_string(group.ranks.size()) +
              " ranks)";
  return text + (count > most ? ", ..." : "");
}

}  // namespace

void check_growth(const toml::table& root, const SweepInputs& inputs, Problems& problems) {
  const toml::node* workload = root.get("workload");
  const std::vector<trace::Trace>& traces = inputs.catalog.traces;
  if (workload == nullptr || !workload->is_table() || traces.empty()) return;
  const Trace& trace = traces.back();
  const simulate::TraceShape shape = simulate::shape_of(trace);
  const std::string groups = groups_without_role(trace);
  if (shape.can_grow || groups.empty()) return;
  const toml::node* given = workload->as_table()->get("data_groups");
  for (const auto& [axis, traced] : {std::pair(Axis::dp, std::int64_t{shape.degrees.data}),
                                     std::pair(Axis::gpus, std::int64_t{trace.world})}) {
    const auto asked = other_value(inputs.spec, axis, traced);
    if (!asked) continue;
    const std::string name(sweep::info_of(axis).name);
    return problems.error(
        place_of(given == nullptr ? *workload : *given),
        name + " = " + std::to_string(*asked) +
            " needs groups of ranks that grow, and the trace says of none that it is data-parallel",
        "add data_groups to [workload], with the names of those that are; the trace has " + groups);
  }
}

}  // namespace echo::config
