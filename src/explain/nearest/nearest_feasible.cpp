// Problem: a refused point leaves open what would have to be different. Idea: the point is a sweep of one
// combination; an axis with its alternatives in place of its value, or two, make a small sweep, whose points
// are simulated like any others. So what follows from an axis (dp, etp, the schedule, a framework's defaults)
// follows here as it does in the sweep. Neglected: three changes at once.
#include "explain/nearest/nearest_feasible.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "base/at.hpp"
#include "explain/nearest/alternatives.hpp"
#include "simulate/simulate.hpp"
#include "sweep/choice/one_point.hpp"
#include "sweep/choice/value_text.hpp"
#include "sweep/choice/varying_axes.hpp"
#include "sweep/language/limits.hpp"
#include "sweep/language/metric.hpp"
#include "sweep/space/count_space.hpp"
#include "sweep/space/raw_cursor.hpp"

namespace echo::explain {

namespace {

using sweep::Axis;

class Search {
 public:
  Search(const sweep::OnePoint& point, const sweep::SweepSpec& spec, const simulate::Catalog& catalog,
         const simulate::Calibration& calibration)
      : point_(point.spec), own_(point.config), spec_(spec), catalog_(catalog), calibration_(calibration) {}

  Nearest run(const NearestQuery& query) {
    Nearest found;
    found.point = own_point(found.removed_by);
    const std::vector<Axis> axes = axes_to_change(query.axes);
    for (const Axis axis : axes) change(std::span(&axis, 1), found);
    const bool is_enough = std::ranges::any_of(found.ways, &Way::is_sure);
    if (!is_enough && query.most_changes > 1) {
      found.most_changes = 2;
      for (std::size_t i = 0; i < axes.size(); ++i)
        for (std::size_t j = i + 1; j < axes.size(); ++j) change(std::array{axes[i], axes[j]}, found);
    }
    put_in_order(found.ways, query.by);
    return found;
  }

 private:
  sweep::Row own_point(std::vector<std::string>& removed_by) {
    const sweep::RawSpace space(point_, catalog_);
    sweep::RawCursor cursor(space);
    if (cursor.find(0, space.size())) return named(simulated(cursor, space));
    for (const sweep::RuleCount& rule : sweep::count_space(space, {}).rules)
      if (rule.removed.value > 0) removed_by.push_back(rule.name);
    return {};
  }

  std::vector<Axis> axes_to_change(const sweep::AxisSet& among) {
    std::vector<Axis> axes;
    for (const sweep::AxisInfo& info : sweep::axis_table) {
      if (!among.test(at(info.axis))) continue;
      auto values = alternatives(own_, info.axis, spec_, catalog_);
      if (values.empty()) continue;
      axes.push_back(info.axis);
      values_[info.axis] = std::move(values);
    }
    return axes;
  }

  // Simulates every combination of other values of the axes.
  void change(std::span<const Axis> axes, Nearest& found) {
    sweep::SweepSpec changed = point_;
    for (const Axis axis : axes) sweep::set_values(changed, axis, values_.at(axis));
    const sweep::RawSpace space(changed, catalog_);
    sweep::RawCursor cursor(space);
    for (bool is_there = cursor.find(0, space.size()); is_there; is_there = cursor.next(space.size())) {
      ++found.tried;
      sweep::Row row = simulated(cursor, space);
      if (row.report.status == training::Status::ok) found.ways.push_back(way_to(axes, row));
    }
  }

  // Best first.
  void put_in_order(std::vector<Way>& ways, const sweep::Objective& by) const {
    const sweep::Metric& metric = *sweep::find_metric(by.metric);
    const double sign = by.goal == sweep::Goal::min ? 1.0 : -1.0;
    constexpr double last = std::numeric_limits<double>::infinity();
    std::vector<std::tuple<bool, std::size_t, bool, double, std::size_t>> order;
    for (Way& way : ways) {
      way.value = metric.value({way.row.config, way.row.report, catalog_, point_.terms});
      order.emplace_back(!way.is_sure, way.changes.size(), !way.is_layout,
                         std::isnan(way.value) ? last : sign * way.value, order.size());
    }
    std::ranges::sort(order);
    std::vector<Way> sorted;
    for (const auto& place : order) sorted.push_back(std::move(ways[std::get<4>(place)]));
    ways = std::move(sorted);
  }

  [[nodiscard]] Way way_to(std::span<const Axis> axes, const sweep::Row& row) const {
    Way way{.changes = changes(axes, row.config), .row = named(row)};
    way.is_sure = row.report.memory_peak.value == 0 ||
                  static_cast<double>(row.report.fit_chance) >= point_.min_fit_chance;
    way.is_layout = std::ranges::all_of(axes, [](Axis axis) { return sweep::info_of(axis).of_layout; });
    return way;
  }

  [[nodiscard]] std::vector<Change> changes(std::span<const Axis> axes,
                                            const training::TrainingConfig& now) const {
    std::vector<Change> out;
    for (const Axis axis : axes) out.push_back({axis, text_in(own_, axis), text_in(now, axis)});
    return out;
  }

  [[nodiscard]] std::string text_in(const training::TrainingConfig& config, Axis axis) const {
    return sweep::value_text(axis, sweep::value_in(config, axis, catalog_, spec_.batch_in_tokens), catalog_);
  }

  // Most rows are dropped, and an id takes as long as to refuse a row.
  [[nodiscard]] sweep::Row named(sweep::Row row) const {
    row.config_id = sweep::config_id_of(row.config, catalog_);
    return row;
  }

  // Without its id.
  sweep::Row simulated(const sweep::RawCursor& cursor, const sweep::RawSpace& space) {
    sweep::Row row;
    row.config = sweep::normalised(sweep::config_of(cursor.state(), catalog_), catalog_);
    try {
      row.report = simulate::simulate(row.config, catalog_, calibration_, workspace_, point_.run.work_budget,
                                      point_.skew);
    } catch (const std::exception&) {  // as in a sweep: a bug in one point is not the end of the others
      workspace_ = simulate::Workspace();
      row.report.status = training::Status::failed;
      row.report.reason = training::Reason::internal_error;
    }
    sweep::apply_limits(space.program(cursor.group()), cursor.state(), catalog_, point_.terms, row);
    return row;
  }

  const sweep::SweepSpec& point_;
  const training::TrainingConfig& own_;
  const sweep::SweepSpec& spec_;
  const simulate::Catalog& catalog_;
  const simulate::Calibration& calibration_;
  simulate::Workspace workspace_;
  std::map<Axis, std::vector<sweep::AxisValue>> values_;
};

}  // namespace

Nearest nearest_feasible(const sweep::OnePoint& point, const sweep::SweepSpec& spec,
                         const simulate::Catalog& catalog, const simulate::Calibration& calibration,
                         const NearestQuery& query) {
  return Search(point, spec, catalog, calibration).run(query);
}

}  // namespace echo::explain
