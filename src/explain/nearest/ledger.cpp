#include "explain/nearest/ledger.hpp"

#include <limits>
#include <span>

#include "explain/config_of_row.hpp"
#include "explain/nearest/alternatives.hpp"
#include "explain/nearest/best_row.hpp"
#include "explain/nearest/nearest_feasible.hpp"
#include "explain/nearest/nearest_text.hpp"
#include "explain/nearest/promising_rows.hpp"

namespace echo::explain {

namespace {

constexpr std::size_t most_causes = 8;  // a few hundredths of a second each

results::NearestEntry entry_of(const PromisingRow& promising, const Nearest& nearest) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  results::NearestEntry entry{promising.cause, promising.row, "", unknown, unknown, unknown};
  if (nearest.ways.empty()) return entry;
  const Way& way = nearest.ways.front();
  entry.change = change_text(way);
  entry.step_time = to_seconds(way.row.report.step);
  if (way.row.report.memory_peak.value == 0) return entry;
  entry.mem_peak = static_cast<double>(way.row.report.memory_peak.value);
  entry.fit_chance = static_cast<double>(way.row.report.fit_chance);
  return entry;
}

}  // namespace

std::vector<results::NearestEntry> nearest_ledger(const results::ResultFile& file,
                                                  const sweep::SweepSpec& spec,
                                                  const simulate::Catalog& catalog,
                                                  const simulate::Calibration& calibration) {
  std::vector<results::NearestEntry> entries;
  const BestRow best = best_row(file);
  simulate::Catalog known = catalog;  // configs of rows add what is theirs
  const auto layer_tables = results::read_layer_tables(file.file());
  for (const PromisingRow& promising : promising_rows(file, spec, best.row)) {
    if (entries.size() == most_causes) break;
    std::string problem;
    const auto config =
        config_of_row(file.pick_configs(std::span(&promising.row, 1)), 0, layer_tables, known, problem);
    if (!config) continue;
    const sweep::OnePoint point = sweep::pinned(spec, *config, known);
    const NearestQuery query{.axes = changeable_axes(spec, {}), .by = best.by};
    entries.push_back(entry_of(promising, nearest_feasible(point, spec, known, calibration, query)));
  }
  return entries;
}

}  // namespace echo::explain
