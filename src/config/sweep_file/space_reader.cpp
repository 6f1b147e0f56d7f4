// Reading the axes.
// Problem: the valid values of an axis depend on other axes ("auto" on the GPU counts, a possible tp on the
// models' heads), and those may differ between groups. Idea: first read every axis of [space] on its own;
// derive the list of axes of each group from it; then fill in the automatic axes and check values against the
// presets of that group. A value is a mistake only if no combination of any group can use it; combinations
// that cannot use it become infeasible rows.
#include "config/sweep_file/space_reader.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "config/sweep_file/axis_domain.hpp"
#include "config/sweep_file/workload_reader.hpp"
#include "config/toml/did_you_mean.hpp"

namespace echo::config {
namespace {

using sweep::Axis;

struct Group {
  std::string name, what;  // what: its name in messages
  Place place;
  std::vector<ReadDimension> dimensions;
};

class SpaceReader {
 public:
  SpaceReader(const Place& place, const Aliases& aliases, simulate::Catalog& catalog, Problems& problems)
      : place_(place), context_{aliases, catalog, problems}, problems_(problems), catalog_(catalog) {}

  void read(const toml::table& space, sweep::SweepSpec& spec) {
    const std::vector<ReadDimension> shared = axes_of(space, "[space]", {"group", "paired"});
    std::vector<Group> groups;
    if (const toml::node* node = space.get("group")) {
      read_groups(*node, shared, groups);
    } else {
      groups.push_back({"", "[space]", place_, shared});
    }
    const bool traced = !spec.workload.trace.empty();
    for (Group& group : groups) {
      fill_automatic(group.dimensions, catalog_, problems_);
      if (traced) refuse_model_axes(group);
      constexpr std::array needed{Axis::model, Axis::cluster, Axis::global_batch};
      require(group, traced ? std::span(needed).subspan(1, 1) : std::span(needed));
    }
    report_impossible(groups);
    agree_on_tokens(groups, spec);
    const std::vector<sweep::Dimension> settled = std::exchange(spec.dimensions, {});
    for (Group& group : groups) {
      auto dimensions = finished(group.dimensions);
      for (const sweep::Dimension& one : settled)
        if (!is_settled_by(group, one.columns.front().axis)) dimensions.push_back(one);
      if (group.name.empty()) {
        spec.dimensions = std::move(dimensions);
      } else {
        spec.groups.push_back({group.name, std::move(dimensions)});
      }
    }
  }

 private:
  // The axes of a table, without its `others`; the pairs of [paired] are inserted at their place.
  std::vector<ReadDimension> axes_of(const toml::table& table, const std::string& what,
                                     const std::vector<std::string>& others) {
    std::vector<ReadDimension> dimensions;
    for (const Entry& entry : in_file_order(table)) {
      const std::string name(entry.key->str());
      if (name == "paired") {
        paired(entry, what, dimensions);
      } else if (std::find(others.begin(), others.end(), name) == others.end()) {
        ReadDimension dimension{{}, place_of(*entry.key)};
        axis(entry, what, others, Crossing::crossed, dimensions, dimension);
        if (!dimension.axes.empty()) dimensions.push_back(std::move(dimension));
      }
    }
    return dimensions;
  }
  void axis(const Entry& entry, const std::string& what, const std::vector<std::string>& others,
            Crossing crossing, const std::vector<ReadDimension>& before, ReadDimension& dimension) {
    const std::string name(entry.key->str());
    const auto info = std::find_if(sweep::axis_table.begin(), sweep::axis_table.end(),
                                   [&](const sweep::AxisInfo& axis) { return axis.name == name; });
    if (info == sweep::axis_table.end()) {
      std::vector<std::string> names;
      for (const sweep::AxisInfo& known : sweep::axis_table) names.emplace_back(known.name);
      names.insert(names.end(), others.begin(), others.end());
      problems_.error(place_of(*entry.key), "unknown axis \"" + name + "\"", suggest(name, names, "axes"));
    } else if (find_axis(before, info->axis) != nullptr) {
      const std::string pair = what == "[space]" ? "[space.paired]" : "its pairs";
      problems_.error(place_of(*entry.key), name + " stands in " + what + " and in " + pair,
                      "remove one of them");
    } else {
      dimension.axes.push_back(read_axis(*info, *entry.node, crossing, context_));
    }
  }
  void paired(const Entry& entry, const std::string& what, std::vector<ReadDimension>& dimensions) {
    const toml::table* table = entry.node->as_table();
    if (table == nullptr) {
      problems_.error(place_of(*entry.node), "paired must be a table of axes", "write [space.paired]");
      return;
    }
    ReadDimension dimension{{}, place_of(*entry.key)};
    for (const Entry& inner : in_file_order(*table))
      axis(inner, what, {}, Crossing::zipped, dimensions, dimension);
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
    dimensions.push_back(std::move(dimension));
  }

  void read_groups(const toml::node& node, const std::vector<ReadDimension>& shared,
                   std::vector<Group>& groups) {
    std::vector<std::string> names;
    for (const toml::table* table : tables_in(node, "space.group", problems_)) {
      TableReader reader(*table, place_of(*table), "[[space.group]]", problems_);
      Group group{"group-" + std::to_string(groups.size() + 1), "", place_of(*table), shared};
      reader.text("name", group.name, Presence::optional);
      group.what = "group \"" + group.name + "\"";
      if (std::find(names.begin(), names.end(), group.name) != names.end()) {
        problems_.error(group.place, "two groups have the name \"" + group.name + "\"", "rename one of them");
      }
      names.push_back(group.name);
      overlay(axes_of(*table, group.what, {"name", "paired"}), group);
      groups.push_back(std::move(group));
    }
    if (groups.empty()) problems_.error(place_of(node), "space.group has no groups", "write [[space.group]]");
  }
  // Axes of a group replace those of [space]; its pairs replace all of [space.paired].
  void overlay(std::vector<ReadDimension> own, Group& group) {
    for (ReadDimension& mine : own) {
      std::vector<ReadDimension>& all = group.dimensions;
      const auto hit = [&](const ReadDimension& theirs) {
        return std::any_of(mine.axes.begin(), mine.axes.end(), [&](const ReadAxis& axis) {
          return std::any_of(theirs.axes.begin(), theirs.axes.end(),
                             [&](const ReadAxis& other) { return other.column.axis == axis.column.axis; });
        });
      };
      const auto split = std::find_if(all.begin(), all.end(), [&](const ReadDimension& theirs) {
        return theirs.axes.size() > 1 && mine.axes.size() == 1 && hit(theirs);
      });
      if (split != all.end()) {
        problems_.error(mine.place, "this axis is paired in [space]",
                        "put all axes of the pair into [space.group.paired]");
        continue;
      }
      const auto first = std::find_if(all.begin(), all.end(), [&](const ReadDimension& theirs) {
        return hit(theirs) || (mine.axes.size() > 1 && theirs.axes.size() > 1);
      });
      const auto at = first - all.begin();
      std::erase_if(all, [&](const ReadDimension& theirs) {
        return hit(theirs) || (mine.axes.size() > 1 && theirs.axes.size() > 1);
      });
      all.insert(all.begin() + std::min<std::ptrdiff_t>(at, std::ssize(all)), std::move(mine));
    }
  }

  // One of the two axes that give the size of the job is enough.
  static bool is_settled_by(const Group& group, Axis axis) {
    return find_axis(group.dimensions, axis) != nullptr ||
           (axis == Axis::dp && find_axis(group.dimensions, Axis::gpus) != nullptr);
  }

  void refuse_model_axes(const Group& group) {
    for (const ReadDimension& dimension : group.dimensions)
      for (const ReadAxis& axis : dimension.axes)
        if (const auto why = why_not_of_trace(axis.column.axis))
          problems_.error(axis.place, why->what, why->remedy);
  }

  void require(const Group& group, std::span<const Axis> axes) {
    for (const Axis axis : axes) {
      const std::string name(sweep::info_of(axis).name);
      if (find_axis(group.dimensions, axis) == nullptr)
        problems_.error(group.place, group.what + " lacks " + name, "add " + name + " = ...");
    }
  }
  // An axis that groups share is to blame only where all of them refuse its value.
  void report_impossible(const std::vector<Group>& groups) {
    using Spot = std::tuple<std::string, std::int32_t, std::int32_t>;
    const auto spot = [](const Place& place) { return Spot{place.file, place.line, place.column}; };
    std::map<Spot, int> users, refusers;  // of an axis; of a value
    std::vector<Refusal> all;
    for (const Group& group : groups) {
      for (const ReadDimension& dimension : group.dimensions) {
        for (const ReadAxis& axis : dimension.axes) ++users[spot(axis.place)];
      }
      for (Refusal& refusal : impossible_values(group.dimensions, catalog_)) {
        ++refusers[spot(refusal.value)];
        all.push_back(std::move(refusal));
      }
    }
    for (const Refusal& refusal : all) {
      if (refusers[spot(refusal.value)] == users[spot(refusal.axis)])
        problems_.error(refusal.value, refusal.what, refusal.remedy);
    }
  }
  void agree_on_tokens(const std::vector<Group>& groups, sweep::SweepSpec& spec) {
    const ReadAxis* first = nullptr;
    for (const Group& group : groups) {
      const ReadAxis* const batch = find_axis(group.dimensions, Axis::global_batch);
      if (batch == nullptr || batch->column.values.empty()) continue;
      if (first == nullptr) first = batch;
      if (batch->tokens != first->tokens) {
        problems_.error(batch->place, "some groups give global_batch in sequences, others in tokens",
                        "use the same unit in all groups");
      }
    }
    spec.batch_in_tokens = first != nullptr && first->tokens;
  }
  static std::vector<sweep::Dimension> finished(std::vector<ReadDimension>& dimensions) {
    std::vector<sweep::Dimension> finished;
    for (ReadDimension& dimension : dimensions) {
      sweep::Dimension out;
      for (ReadAxis& axis : dimension.axes) {
        if (!axis.column.values.empty()) out.columns.push_back(std::move(axis.column));
      }
      if (!out.columns.empty()) finished.push_back(std::move(out));
    }
    return finished;
  }

  Place place_;
  AxisContext context_;
  Problems& problems_;
  simulate::Catalog& catalog_;
};

}  // namespace

void read_space(const toml::table& space, const Place& place, const Aliases& aliases,
                simulate::Catalog& catalog, sweep::SweepSpec& spec, Problems& problems) {
  SpaceReader(place, aliases, catalog, problems).read(space, spec);
}

}  // namespace echo::config
