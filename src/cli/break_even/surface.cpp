// Cells are sweeps. Axes of prices change no simulation, so cells that differ in prices only share theirs.
//
// Searching. Where all cells together have no more points than `most_simulations`, every point of every cell
// is simulated. Where they have more, and the axes are hardware or prices (so that a config is the same
// config in every cell), the corners and the middle of the surface are simulated whole, and the other cells
// for the candidates only: the best 200 rows of each of those, and the best 20 of every kind. A row that is
// best somewhere between and that good in none of them is missed; the output says how many cells were
// searched so. A sweep with more points than that for one machine alone is refused.
//
// A boundary lies where the ratio of the two winners' values is 1. ln ratio is interpolated linearly in the
// logarithm of the axis (exact for two costs proportional to powers of it), in the axis where it has a number
// that is not positive.
#include "cli/break_even/surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/named_table.hpp"
#include "campaign/terms.hpp"
#include "cli/objective_option.hpp"
#include "config/toml/did_you_mean.hpp"
#include "query/rank/ties.hpp"
#include "results/rank/objectives.hpp"
#include "results/rank/robust_front.hpp"
#include "sweep/choice/varying_axes.hpp"
#include "sweep/language/metric.hpp"
#include "sweep/space/design_space.hpp"

namespace echo::cli {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

bool is_price(const SurfaceAxis& axis) { return axis.kind == SurfaceAxis::Kind::price; }
bool is_hardware(const SurfaceAxis& axis) {
  return !is_price(axis) && (axis.key.starts_with("gpu") || axis.key.starts_with("cluster"));
}
bool depends_on_price(std::string_view name) {
  const sweep::Metric* const metric = sweep::find_metric(name);
  return metric != nullptr && (metric->needs & sweep::needs_price) != 0;
}

// Sets a price, or multiplies those that are given.
void set_price(const SurfaceAxis& axis, const AxisPoint& point, const simulate::Catalog& catalog,
               campaign::Economics& economics) {
  const std::int32_t of_cluster = find_named(catalog.clusters, axis.key),
                     of_gpu = find_named(catalog.gpus, axis.key);
  if (!axis.key.empty() && of_cluster < 0 && of_gpu < 0) {
    std::vector<std::string> known;
    for (const machine::GpuSpec& gpu : catalog.gpus) known.push_back(gpu.name);
    for (const machine::ClusterSpec& cluster : catalog.clusters) known.push_back(cluster.name);
    throw UserError("no GPU or cluster is called \"" + axis.key + "\"",
                    config::suggest(axis.key, known, "known"));
  }
  if (!axis.unit.empty() && !economics.currency.empty() && axis.unit != economics.currency)
    throw UserError("the prices of " + axis.asked + " are in " + axis.unit + ", those of the sweep in " +
                        economics.currency,
                    "give all prices in one currency");
  if (!axis.unit.empty()) economics.currency = axis.unit;
  auto& prices = economics.gpu_hour;
  if (!point.text.starts_with('x')) {
    if (axis.key.empty()) prices.clear();
    std::erase_if(prices, [&](const campaign::GpuHourPrice& price) { return price.name == axis.key; });
    prices.push_back({axis.key, point.number});
    return;
  }
  if (axis.key.empty()) {
    for (campaign::GpuHourPrice& price : prices) price.price *= point.number;
    if (!prices.empty()) return;
  } else {
    const std::string gpu =
        of_cluster >= 0 ? catalog.gpus[at(catalog.clusters[at(of_cluster)].gpu)].name : axis.key;
    const auto* const given = campaign::find_price(economics, of_cluster >= 0 ? axis.key : "", gpu);
    const double price = given == nullptr ? 0.0 : given->price * point.number;
    std::erase_if(prices, [&](const campaign::GpuHourPrice& one) { return one.name == axis.key; });
    if (price > 0.0) return prices.push_back({axis.key, price});
  }
  throw UserError("a factor on the price says nothing: the sweep gives no price" +
                      (axis.key.empty() ? "" : " of " + axis.key),
                  "give prices, as in " + axis.asked + "=2..6:5, or [economics] gpu_hour in the sweep");
}

class SurfaceSearch {
 public:
  SurfaceSearch(const SurfaceSweep& sweep, const SurfaceRequest& request) : sweep_(sweep) {
    out_.x = request.x, out_.y = request.y;
    base_ = sweep_.read(sets_at(0, 0));
    require_effect(true), require_effect(false);
    out_.by = objective_of(request.by);
    per_ = request.per;
    if (per_.empty()) per_ = usual_kinds();
    for (const sweep::Axis axis : axes_of_kinds(base_->inputs.spec, per_))
      out_.kind_axes += (out_.kind_axes.empty() ? "" : ",") + std::string(sweep::info_of(axis).name);
    most_ = request.most_simulations;
  }

  Surface run() {
    out_.cells.resize(out_.x.points.size() * out_.y.points.size());
    const std::vector<Pair> different = different_hardware();
    const sweep::DesignSpace first(base_->inputs.spec, base_->inputs.catalog);
    const bool is_whole = first.size() <= most_ / std::ssize(different);
    const bool is_searchable = is_fixed_space(out_.x) && is_fixed_space(out_.y) && first.size() <= most_;
    if (!is_whole && !is_searchable)
      throw UserError("the surface has " + std::to_string(different.size()) + " machines with " +
                          std::to_string(first.size()) + " points each, more than " + std::to_string(most_),
                      "take fewer values, or a smaller space with --set, or raise --simulations");
    std::set<std::uint64_t> candidates;
    for (const Pair& pair : different)
      if (is_whole || is_anchor(pair)) simulate(pair, nullptr, candidates);
    out_.candidates = std::ssize(candidates);
    std::set<std::uint64_t> none;
    for (const Pair& pair : different)
      if (!is_whole && !is_anchor(pair)) simulate(pair, &candidates, none);
    find_kinds();
    find_boundaries();
    return std::move(out_);
  }

 private:
  struct Pair {
    std::size_t x = 0, y = 0;
  };

  // An axis that the sweep does not look at, such as gpus where groups have their own, is a mistake.
  void require_effect(bool is_x) const {
    const SurfaceAxis& axis = is_x ? out_.x : out_.y;
    const std::size_t last = axis.points.size() - 1;
    if (is_price(axis) || last == 0) return;
    const auto other = sweep_.read(is_x ? sets_at(last, 0) : sets_at(0, last));
    if (other->inputs.spec == base_->inputs.spec && other->inputs.catalog == base_->inputs.catalog)
      throw UserError("\"" + axis.asked + "\" changes nothing in this sweep",
                      "name the key that does, as in space.group.NAME.gpus=64,128");
  }

  // Every config is one point whatever the value: it is of the machine or of the whole training.
  static bool is_fixed_space(const SurfaceAxis& axis) {
    return is_price(axis) || is_hardware(axis) || axis.key.starts_with("reliability.") ||
           axis.key.starts_with("economics.") || axis.key.starts_with("target.");
  }

  [[nodiscard]] std::vector<std::string> sets_at(std::size_t x, std::size_t y) const {
    std::vector<std::string> sets;
    if (!is_price(out_.x)) sets.push_back(set_of(out_.x, x));
    if (!is_price(out_.y)) sets.push_back(set_of(out_.y, y));
    return sets;
  }

  // The cells whose points have to be simulated; those of a price axis are done at its first value.
  [[nodiscard]] std::vector<Pair> different_hardware() const {
    std::vector<Pair> pairs;
    const std::size_t columns = is_price(out_.x) ? 1 : out_.x.points.size(),
                      rows = is_price(out_.y) ? 1 : out_.y.points.size();
    for (std::size_t y = 0; y < rows; ++y)
      for (std::size_t x = 0; x < columns; ++x) pairs.push_back({x, y});
    return pairs;
  }

  [[nodiscard]] bool is_anchor(const Pair& pair) const {
    const auto is_at = [](const SurfaceAxis& axis, std::size_t i, bool middle) {
      const std::size_t last = axis.points.size() - 1;
      return is_price(axis) || (middle ? i == last / 2 : i == 0 || i == last);
    };
    return (is_at(out_.x, pair.x, false) && is_at(out_.y, pair.y, false)) ||
           (is_at(out_.x, pair.x, true) && is_at(out_.y, pair.y, true));
  }

  [[nodiscard]] sweep::Objective objective_of(const std::string& by) const {
    const auto& objectives = base_->inputs.spec.objectives;
    if (!by.empty()) {
      const sweep::Objective usual = objective_named(by);
      for (const sweep::Objective& objective : objectives)
        if (objective.metric == by) return objective;
      return usual;
    }
    const bool has_price = is_price(out_.x) || is_price(out_.y);
    if (has_price) {
      if (base_->inputs.spec.terms.target_tokens <= 0.0)
        throw UserError("without [target] tokens a training has no cost",
                        "add --set target.tokens=\"1T tokens\", or choose --by");
      return {"cost", sweep::Goal::min};
    }
    if (!objectives.empty()) return objectives.front();
    const sweep::VaryingAxes varying(base_->inputs.spec);
    const bool is_alike = !varying.contains(sweep::Axis::gpus) && !varying.contains(sweep::Axis::dp) &&
                          !varying.contains(sweep::Axis::global_batch) &&
                          !varying.contains(sweep::Axis::seq_len);
    return is_alike ? sweep::Objective{"step_time", sweep::Goal::min}
                    : sweep::Objective{"tokens_per_s_per_gpu", sweep::Goal::max};
  }

  // The machines where they vary, else all that varies.
  [[nodiscard]] std::string usual_kinds() const {
    const sweep::VaryingAxes varying(base_->inputs.spec);
    std::string axes;
    for (const sweep::Axis axis : {sweep::Axis::cluster, sweep::Axis::gpu})
      if (varying.contains(axis)) axes += (axes.empty() ? "" : ",") + std::string(sweep::info_of(axis).name);
    return axes;
  }

  // Simulates one cell and fills it and the cells that differ from it in prices only.
  void simulate(const Pair& pair, const std::set<std::uint64_t>* only, std::set<std::uint64_t>& candidates) {
    const auto read = sweep_.read(sets_at(pair.x, pair.y));
    const config::SweepInputs& in = read->inputs;
    const bool by_price = std::ranges::any_of(
        in.spec.limits, [](const sweep::Limit& limit) { return depends_on_price(limit.metric); });
    const auto kinds = axes_of_kinds(in.spec, per_), layout = axes_of_kinds(base_->inputs.spec, "");
    SimulatedCell rows;
    bool is_first = true;
    for (std::size_t y = 0; y < (is_price(out_.y) ? out_.y.points.size() : 1); ++y) {
      for (std::size_t x = 0; x < (is_price(out_.x) ? out_.x.points.size() : 1); ++x) {
        sweep::SweepSpec spec = in.spec;
        if (is_price(out_.x)) set_price(out_.x, out_.x.points[x], in.catalog, spec.terms.economics);
        if (is_price(out_.y)) set_price(out_.y, out_.y.points[y], in.catalog, spec.terms.economics);
        if (is_first || by_price) {  // limits look at the price
          rows = simulate_cell(spec, in.catalog, in.calibration, only);
          out_.simulations += rows.simulated;
        }
        is_first = false;
        SurfaceCell& cell = out_.cells[(pair.y + y) * out_.x.points.size() + pair.x + x];
        cell.points = rows.points, cell.simulated = rows.simulated;
        Contest contest = contest_of(rows, out_.by, kinds, layout, spec.terms, in.catalog);
        cell.standings = std::move(contest.standings), cell.unvalued = contest.unvalued;
        judge(cell);
        if (only == nullptr) add_best(rows, out_.by, kinds, spec.terms, in.catalog, candidates);
      }
    }
    ++(only == nullptr ? out_.whole_cells : out_.restricted_cells);
  }

  void judge(SurfaceCell& cell) const {
    cell.gap = cell.chance = missing;
    if (cell.standings.size() < 2) return;
    const KindBest &first = cell.standings[0], &second = cell.standings[1];
    cell.gap =
        (out_.by.goal == sweep::Goal::min ? second.value / first.value : first.value / second.value) - 1.0;
    cell.chance = query::chance_of_first(results::aspect_of(out_.by), first.contender, second.contender);
  }

  void find_kinds() {
    std::map<std::string, std::int64_t> wins;
    for (const SurfaceCell& cell : out_.cells)
      if (!cell.standings.empty()) ++wins[cell.standings.front().kind];
    for (const auto& [kind, cells] : wins) out_.kinds.push_back(kind);
    std::ranges::stable_sort(out_.kinds,
                             [&](const std::string& a, const std::string& b) { return wins[a] > wins[b]; });
  }

  // ln of how much better `from` is than `to`; NaN where one of them is not there.
  [[nodiscard]] double lead(const SurfaceCell& cell, const std::string& from, const std::string& to) const {
    const KindBest *a = cell.find(from), *b = cell.find(to);
    if (a == nullptr || b == nullptr || a->value <= 0.0 || b->value <= 0.0) return missing;
    const double ratio = std::log(b->value / a->value);
    return out_.by.goal == sweep::Goal::min ? ratio : -ratio;
  }

  static double between(const SurfaceAxis& axis, std::size_t at, double share) {
    const double low = axis.points[at].number, high = axis.points[at + 1].number;
    if (low > 0.0 && high > 0.0) return low * std::pow(high / low, share);
    return low + share * (high - low);
  }

  void compare(const SurfaceCell& a, const SurfaceCell& b, bool along_x, std::size_t place,
               std::size_t other) {
    if (a.standings.empty() || b.standings.empty()) return;
    const std::string &from = a.standings.front().kind, &to = b.standings.front().kind;
    if (from == to) return;
    const double before = lead(a, from, to), after = lead(b, from, to);
    const SurfaceAxis& axis = along_x ? out_.x : out_.y;
    const bool is_known = before >= 0.0 && after <= 0.0 && before > after;
    out_.boundaries.push_back(
        {.is_along_x = along_x,
         .other = other,
         .at = place,
         .from = from,
         .to = to,
         .place = is_known ? between(axis, place, before / (before - after)) : missing});
  }

  void find_boundaries() {
    const std::size_t columns = out_.x.points.size(), rows = out_.y.points.size();
    for (std::size_t y = 0; y < rows; ++y)
      for (std::size_t x = 0; x + 1 < columns; ++x) compare(out_.cell(x, y), out_.cell(x + 1, y), true, x, y);
    for (std::size_t x = 0; x < columns; ++x)
      for (std::size_t y = 0; y + 1 < rows; ++y) compare(out_.cell(x, y), out_.cell(x, y + 1), false, y, x);
  }

  const SurfaceSweep& sweep_;
  std::unique_ptr<const explain::SweepAgain> base_;
  std::string per_;
  std::int64_t most_ = 0;
  Surface out_;
};

}  // namespace

bool SurfaceCell::is_tie() const { return chance < results::sure; }

const KindBest* SurfaceCell::find(const std::string& kind) const {
  const auto found = std::ranges::find(standings, kind, &KindBest::kind);
  return found == standings.end() ? nullptr : &*found;
}

Surface break_even(const SurfaceSweep& sweep, const SurfaceRequest& request) {
  return SurfaceSearch(sweep, request).run();
}

}  // namespace echo::cli
