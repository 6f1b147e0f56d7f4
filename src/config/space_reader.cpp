// Reading the axes.
// Problem: what an axis may hold depends on other axes ("auto" on the GPU counts, a possible tp on the
// models' heads). Idea: read every axis by itself first, then fill in the automatic ones, then test values
// against what all presets of the sweep allow. A value is a mistake only when no combination could use it;
// what merely some cannot use becomes an infeasible row.
#include "config/space_reader.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "base/named_table.hpp"
#include "config/axis_values.hpp"
#include "config/did_you_mean.hpp"

namespace echo::config {
namespace {

using sweep::Axis;

struct ReadDimension {
  std::vector<ReadAxis> axes;
  Place place;
};

class SpaceReader {
 public:
  SpaceReader(const Place& place, const Aliases& aliases, simulate::Catalog& catalog, Problems& problems)
      : place_(place), context_{aliases, catalog, problems}, problems_(problems), catalog_(catalog) {}

  void read(const toml::table& space, sweep::SweepSpec& spec) {
    for (const Entry& entry : in_file_order(space)) {
      const std::string name(entry.key->str());
      if (name == "paired") {
        paired(entry);
      } else if (name == "group") {
        problems_.error(place_of(*entry.key), "[[space.group]] is not supported yet",
                        "write one sweep for each group");
      } else {
        ReadDimension dimension{{}, place_of(*entry.key)};
        axis(entry, dimension);
        dimensions_.push_back(std::move(dimension));
      }
    }
    fill_automatic();
    require();
    refuse_impossible();
    for (ReadDimension& dimension : dimensions_) {
      sweep::Dimension out;
      for (ReadAxis& axis : dimension.axes) {
        if (axis.tokens) spec.batch_in_tokens = true;
        if (!axis.column.values.empty()) out.columns.push_back(std::move(axis.column));
      }
      if (!out.columns.empty()) spec.dimensions.push_back(std::move(out));
    }
  }

 private:
  void axis(const Entry& entry, ReadDimension& dimension) {
    const std::string name(entry.key->str());
    const auto info = std::find_if(sweep::axis_table.begin(), sweep::axis_table.end(),
                                   [&](const sweep::AxisInfo& axis) { return axis.name == name; });
    if (info == sweep::axis_table.end()) {
      std::vector<std::string> names;
      for (const sweep::AxisInfo& known : sweep::axis_table) names.emplace_back(known.name);
      names.emplace_back("paired");
      problems_.error(place_of(*entry.key), "unknown axis \"" + name + "\"", suggest(name, names, "axes"));
      return;
    }
    if (!seen_.insert(info->axis).second) {
      problems_.error(place_of(*entry.key), name + " stands in [space] and in [space.paired]",
                      "remove one of them");
      return;
    }
    dimension.axes.push_back(read_axis(*info, *entry.node, context_));
  }
  void paired(const Entry& entry) {
    const toml::table* table = entry.node->as_table();
    if (table == nullptr) {
      problems_.error(place_of(*entry.node), "paired must be a table of axes", "write [space.paired]");
      return;
    }
    ReadDimension dimension{{}, place_of(*entry.key)};
    for (const Entry& inner : in_file_order(*table)) axis(inner, dimension);
    if (dimension.axes.empty()) return;
    const std::size_t length = dimension.axes.front().column.values.size();
    for (const ReadAxis& axis : dimension.axes) {
      const std::string name(sweep::info_of(axis.column.axis).name);
      if (axis.automatic) {
        problems_.error(axis.place, "\"auto\" cannot be paired", "list the values of " + name);
      } else if (axis.column.values.size() != length) {
        problems_.error(axis.place,
                        "paired axes differ in length: " + name + " has " +
                            std::to_string(axis.column.values.size()) + ", the first has " +
                            std::to_string(length),
                        "give every paired axis the same number of values");
      }
    }
    dimensions_.push_back(std::move(dimension));
  }

  ReadAxis* find(Axis axis) {
    for (ReadDimension& dimension : dimensions_) {
      for (ReadAxis& read : dimension.axes) {
        if (read.column.axis == axis) return &read;
      }
    }
    return nullptr;
  }
  // `property` of every preset of `table` that the axis names; of none when the axis is missing.
  template <class Table>
  std::vector<std::int64_t> properties(
      Axis axis, const Table& table,
      const std::function<std::int64_t(const typename Table::value_type&)>& property) {
    std::vector<std::int64_t> found;
    const ReadAxis* const read = find(axis);
    if (read == nullptr) return found;
    for (const sweep::AxisValue& value : read->column.values) {
      const std::int32_t index = find_named(table, value.text);
      if (index >= 0) found.push_back(property(table[static_cast<std::size_t>(index)]));
    }
    return found;
  }
  std::vector<std::int64_t> layers() {
    return properties(Axis::model, catalog_.models, [](const training::ModelSpec& m) { return m.layers; });
  }
  std::vector<std::int64_t> capacities() {
    return properties(Axis::cluster, catalog_.clusters,
                      [](const machine::ClusterSpec& c) { return std::int64_t{c.nodes} * c.gpus_per_node; });
  }

  static std::set<std::int64_t> divisors(const std::vector<std::int64_t>& numbers, std::int64_t limit) {
    std::set<std::int64_t> all;
    for (const std::int64_t number : numbers) {
      for (std::int64_t d = 1; d * d <= number; ++d) {
        if (number % d != 0) continue;
        for (const std::int64_t one : {d, number / d}) {
          if (one <= limit) all.insert(one);
        }
      }
    }
    return all;
  }
  void fill_automatic() {
    std::vector<std::int64_t> gpus;
    if (const ReadAxis* const read = find(Axis::gpus)) {
      for (const sweep::AxisValue& value : read->column.values) gpus.push_back(value.number);
    } else {
      gpus = capacities();
    }
    const auto depths = layers();
    const std::int64_t deepest = depths.empty() ? 1 : *std::max_element(depths.begin(), depths.end());
    const auto domains = properties(Axis::cluster, catalog_.clusters,
                                    [](const machine::ClusterSpec& c) { return c.scale_up_domain; });
    for (const Axis axis : {Axis::tp, Axis::pp, Axis::dp, Axis::vpp}) {
      ReadAxis* const read = find(axis);
      if (read == nullptr || !read->automatic) continue;
      std::set<std::int64_t> values;
      if (axis == Axis::tp) values = divisors(domains, INT32_MAX);
      if (axis == Axis::pp) values = divisors(gpus, deepest);
      if (axis == Axis::dp) values = divisors(gpus, INT32_MAX);
      if (axis == Axis::vpp) values = divisors(depths, deepest);
      if (values.empty()) {
        problems_.error(
            read->place, std::string(sweep::info_of(axis).name) + " = \"auto\" has nothing to divide",
            "give gpus (or a cluster of a fixed number of nodes) and a model, or list the values");
      }
      for (const std::int64_t value : values) {
        read->column.values.push_back({value, ""});
        read->places.push_back(read->place);
      }
    }
  }
  void require() {
    for (const Axis axis : {Axis::model, Axis::cluster, Axis::global_batch}) {
      if (seen_.count(axis) != 0) continue;
      const std::string name(sweep::info_of(axis).name);
      problems_.error(place_, "[space] lacks " + name, "add " + name + " = ...");
    }
  }
  void refuse_above(Axis axis, const std::vector<std::int64_t>& bounds, const std::string& of_what) {
    const ReadAxis* const read = find(axis);
    if (read == nullptr || read->automatic || bounds.empty()) return;
    const std::int64_t most = *std::max_element(bounds.begin(), bounds.end());
    for (std::size_t i = 0; i < read->column.values.size(); ++i) {
      const std::int64_t value = read->column.values[i].number;
      if (value <= most) continue;
      problems_.error(read->places[i],
                      std::string(sweep::info_of(axis).name) + " = " + std::to_string(value) + " exceeds " +
                          of_what + " (" + std::to_string(most) + ")",
                      "no combination of this sweep could run it; remove the value");
    }
  }
  void refuse_impossible() {
    refuse_above(Axis::tp, properties(Axis::model, catalog_.models, [](const auto& m) { return m.heads; }),
                 "the heads of every model here");
    auto stages = layers();
    for (std::int64_t& depth : stages) depth += 2;  // embedding and loss may count as layers
    refuse_above(Axis::pp, stages, "the layers of every model here, with embedding and loss");
    auto capacity = capacities();
    if (std::count(capacity.begin(), capacity.end(), 0) == 0) {
      refuse_above(Axis::gpus, capacity, "the GPUs of every cluster here");
    }
    const ReadAxis* const batch = find(Axis::global_batch);
    if (batch == nullptr || batch->tokens) return;
    std::vector<std::int64_t> batches;
    for (const sweep::AxisValue& value : batch->column.values) batches.push_back(value.number);
    refuse_above(Axis::micro_batch, batches, "every global_batch here");
  }

  Place place_;
  AxisContext context_;
  Problems& problems_;
  simulate::Catalog& catalog_;
  std::vector<ReadDimension> dimensions_;
  std::set<Axis> seen_;
};

}  // namespace

void read_space(const toml::table& space, const Place& place, const Aliases& aliases,
                simulate::Catalog& catalog, sweep::SweepSpec& spec, Problems& problems) {
  SpaceReader(place, aliases, catalog, problems).read(space, spec);
}

}  // namespace echo::config
