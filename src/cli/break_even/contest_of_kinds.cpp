#include "cli/break_even/contest_of_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "config/sweep_file/axis_values.hpp"
#include "query/rank/group_key.hpp"
#include "sweep/choice/value_text.hpp"
#include "sweep/choice/varying_axes.hpp"
#include "sweep/language/metric.hpp"
#include "sweep/run/run_sweep.hpp"
#include "sweep/space/config_id.hpp"
#include "training/axis.hpp"

namespace echo::cli {
namespace {

using sweep::Axis;

// Points one by one, in order.
class TheseIds : public sweep::WorkSource {
 public:
  explicit TheseIds(std::vector<sweep::PointIndex> ids) : ids_(std::move(ids)) {}
  std::optional<sweep::IdRange> claim() override {
    if (next_ == ids_.size()) return std::nullopt;
    const sweep::PointIndex id = ids_[next_++];
    return sweep::IdRange{id, id + 1};
  }

 private:
  std::vector<sweep::PointIndex> ids_;
  std::size_t next_ = 0;
};

// Keeps what is ranked.
struct RankedRows : sweep::RowSink {
  explicit RankedRows(double least_chance) : least(least_chance) {}
  void accept(std::span<const sweep::Row> batch) override {
    simulated += std::ssize(batch);
    for (const sweep::Row& row : batch) {
      const bool has_memory = row.report.memory_peak.value > 0;  // a replayed trace has none
      const bool fits = least <= 0.0 || !has_memory || static_cast<double>(row.report.fit_chance) >= least;
      if (row.report.status == training::Status::ok && fits) rows.push_back(row);
    }
  }
  double least;
  std::int64_t simulated = 0;
  std::vector<sweep::Row> rows;
};

std::int32_t code_of(Axis axis, const training::TrainingConfig& config, const simulate::Catalog& catalog) {
  const training::AxisMember& member = training::member_of(axis);
  if (member.get == nullptr) return training::gpus_of(config.degrees);
  if (axis == Axis::gpu && config.gpu.is_none()) return catalog.cluster(config.cluster).gpu.index();
  return member.get(config);
}

std::vector<std::int32_t> codes_of(const training::TrainingConfig& config, const std::vector<Axis>& axes,
                                   const simulate::Catalog& catalog) {
  std::vector<std::int32_t> codes;
  for (const Axis axis : axes) codes.push_back(code_of(axis, config, catalog));
  return codes;
}

double value_of(const sweep::Row& row, const sweep::Metric& metric, const campaign::Terms& terms,
                const simulate::Catalog& catalog) {
  return metric.value({row.config, row.report, catalog, terms});
}

// Rows with a value, best first.
struct Order {
  std::vector<std::size_t> rows;
  std::vector<double> values;  // by row of the cell
};
Order order_of(const SimulatedCell& cell, const sweep::Objective& by, const campaign::Terms& terms,
               const simulate::Catalog& catalog) {
  const sweep::Metric& metric = *sweep::find_metric(by.metric);
  Order order;
  for (const sweep::Row& row : cell.rows) order.values.push_back(value_of(row, metric, terms, catalog));
  order.rows.resize(cell.rows.size());
  std::iota(order.rows.begin(), order.rows.end(), std::size_t{0});
  std::erase_if(order.rows, [&](std::size_t i) { return std::isnan(order.values[i]); });
  const double sign = by.goal == sweep::Goal::min ? 1.0 : -1.0;
  std::ranges::stable_sort(order.rows, [&](std::size_t a, std::size_t b) {
    return sign * order.values[a] < sign * order.values[b];
  });
  return order;
}

}  // namespace

std::vector<Axis> axes_of_kinds(const sweep::SweepSpec& spec, const std::string& per) {
  std::vector<Axis> axes;
  if (per.empty()) {
    const sweep::VaryingAxes varying(spec);
    for (const sweep::AxisInfo& info : sweep::axis_table)
      if (varying.contains(info.axis)) axes.push_back(info.axis);
    return axes;
  }
  for (const std::string& name : query::names_in_list(per)) axes.push_back(config::axis_named(name));
  return axes;
}

std::string kind_of(const training::TrainingConfig& config, const std::vector<Axis>& axes,
                    const simulate::Catalog& catalog) {
  std::string text;
  for (const Axis axis : axes)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", sweep::info_of(axis).name,
                        sweep::value_text(axis, sweep::value_in(config, axis, catalog), catalog));
  return text;
}

SimulatedCell simulate_cell(const sweep::SweepSpec& spec, const simulate::Catalog& catalog,
                            const simulate::Calibration& calibration, const std::set<std::uint64_t>* only) {
  const sweep::DesignSpace space(spec, catalog);
  std::vector<sweep::PointIndex> ids;
  sweep::PointCursor point(space);
  for (sweep::PointIndex id = 0; id < space.size(); ++id) {
    if (only != nullptr) {
      point.go_to(id);
      if (!only->contains(sweep::config_id_of(point.config(), catalog))) continue;
    }
    ids.push_back(id);
  }
  TheseIds source(std::move(ids));
  RankedRows sink(spec.min_fit_chance);
  (void)sweep::run_sweep(space, catalog, calibration, source, sink);
  return {.rows = std::move(sink.rows), .points = space.size(), .simulated = sink.simulated};
}

Contest contest_of(const SimulatedCell& cell, const sweep::Objective& by, const std::vector<Axis>& kinds,
                   const std::vector<Axis>& layout, const campaign::Terms& terms,
                   const simulate::Catalog& catalog) {
  const results::Aspect aspect = results::aspect_of(by);
  const Order order = order_of(cell, by, terms, catalog);
  Contest contest{.standings = {}, .unvalued = std::ssize(cell.rows) - std::ssize(order.rows)};
  std::set<std::vector<std::int32_t>> seen;
  for (const std::size_t i : order.rows) {
    const sweep::Row& row = cell.rows[i];
    if (!seen.insert(codes_of(row.config, kinds, catalog)).second) continue;
    contest.standings.push_back({.kind = kind_of(row.config, kinds, catalog),
                                 .value = order.values[i],
                                 .config_id = row.config_id,
                                 .layout = kind_of(row.config, layout, catalog),
                                 .contender = {.row = row.id,
                                               .cost = {aspect.cost_of(order.values[i]), 0.0},
                                               .error = results::error_of(row, catalog)}});
  }
  return contest;
}

void add_best(const SimulatedCell& cell, const sweep::Objective& by, const std::vector<Axis>& kinds,
              const campaign::Terms& terms, const simulate::Catalog& catalog,
              std::set<std::uint64_t>& configs) {
  constexpr std::size_t best = 200;
  constexpr int best_of_a_kind = 20;
  const Order order = order_of(cell, by, terms, catalog);
  std::map<std::vector<std::int32_t>, int> taken;
  for (std::size_t place = 0; place < order.rows.size(); ++place) {
    const sweep::Row& row = cell.rows[order.rows[place]];
    if (++taken[codes_of(row.config, kinds, catalog)] <= best_of_a_kind || place < best)
      configs.insert(row.config_id);
  }
}

}  // namespace echo::cli
