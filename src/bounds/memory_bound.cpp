#include "bounds/memory_bound.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>
#include <string>

#include "base/at.hpp"
#include "simulate/admission/axes_read.hpp"
#include "simulate/schedule_rules.hpp"

namespace echo::bounds {

using sweep::Axis;
using sweep::AxisInfo;
using sweep::AxisSet;
using training::TrainingConfig;

// [code] The axes that each rule looks at, those of the layout of ranks included.
static const std::map<std::int32_t, AxisSet>& axes_of_rules() {
  static const std::map<std::int32_t, AxisSet> known = [] {
    std::map<std::int32_t, AxisSet> made;
    for (const Refusal& rule : simulate::all_refusals()) {
      AxisSet& axes = made[code_of(rule)];
      std::istringstream words(rule.axes);
      for (std::string word; words >> word;)
        if (const auto axis = training::find_axis(word)) axes.set(at(*axis));
      for (const AxisInfo& info : sweep::axis_table)
        if (simulate::axes_of_layout().contains(info.axis)) axes.set(at(info.axis));
    }
    return made;
  }();
  return known;
}

bool depends_on(std::int32_t rule, const AxisSet& open) {
  const auto& read = axes_of_rules();
  const auto found = read.find(rule);
  return found == read.end() || (found->second & (open | sometimes_idle())).any();
}

namespace {

// An open axis that memory reads, and its values, the one that saves most first.
struct Choice {
  Axis axis{};
  std::vector<std::int32_t> values;
};

// More of most of these axes saves memory.
bool saves_most_at_first(Axis axis) {
  return axis == Axis::kernels || axis == Axis::kernels_rms_rope || axis == Axis::kernels_loss ||
         axis == Axis::fp32_gradients || axis == Axis::overlap_tp;
}

// Empty where they are not known.
std::vector<std::int32_t> values_of(const AxisInfo& info, const OpenAxes& open) {
  std::vector<std::int32_t> values = open.values[at(info.axis)];
  const bool is_counted = info.kind == training::AxisKind::flag || info.kind == training::AxisKind::word ||
                          info.axis == Axis::zero;
  if (values.empty() && is_counted) {
    values.resize(at(info.kind == training::AxisKind::flag ? 2 : info.highest + 1));
    std::iota(values.begin(), values.end(), 0);
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (!saves_most_at_first(info.axis)) std::ranges::reverse(values);
  return values;
}

// The next combination; false after the last.
bool next_choice(std::span<const Choice> choices, std::vector<std::size_t>& digits) {
  for (std::size_t i = digits.size(); i-- > 0;) {
    if (++digits[i] < choices[i].values.size()) return true;
    digits[i] = 0;
  }
  return false;
}

}  // namespace

MemoryBounds::MemoryBounds(const simulate::Catalog& catalog, const simulate::Calibration& calibration,
                           simulate::Workspace& workspace)
    : catalog_(catalog), known_(calibration), ws_(workspace) {}

std::optional<MemoryBound> MemoryBounds::of_set(const TrainingConfig& member, const OpenAxes& open,
                                                double enough) {
  if (!catalog_.model(member.model).trace.is_none()) return std::nullopt;
  std::vector<Choice> choices;
  for (const AxisInfo& info : sweep::axis_table) {
    if (!open.axes.test(at(info.axis)) || !simulate::axes_of_admission().contains(info.axis)) continue;
    choices.push_back({info.axis, values_of(info, open)});
    if (choices.back().values.empty()) return std::nullopt;
  }
  MemoryBound bound{.least_peak = Bytes(std::numeric_limits<std::int64_t>::max())};
  TrainingConfig config = member;
  std::vector<std::size_t> digits(choices.size());
  do {
    for (std::size_t i = 0; i < choices.size(); ++i)
      training::member_of(choices[i].axis).set(config, choices[i].values[digits[i]]);
    const simulate::Admission& found = ws_.admissions.of(sweep::normalised(config, catalog_), catalog_,
                                                         known_.errors, ws_.step.layout, ws_.counts);
    if (found.rule != 0) continue;
    bound.any = true;
    bound.admitted = config;
    bound.least_peak = std::min(bound.least_peak, found.memory_peak);
    bound.most_chance = std::max(bound.most_chance, static_cast<double>(found.fit_chance));
    if (bound.most_chance >= enough) break;
  } while (next_choice(choices, digits));
  return bound;
}

}  // namespace echo::bounds
