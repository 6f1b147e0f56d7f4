// Single points of a sweep before it runs: lists the first ones, and says which rule removes a named one.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/refusal.hpp"
#include "cli/plan/plan_counts.hpp"
#include "sweep/spec.hpp"
#include "text/json.hpp"

namespace echo::cli {

struct PlannedPoint {
  sweep::PointIndex number = -1;  // -1: points are not numbered, or this is not one
  std::uint64_t config_id = 0;
  std::vector<std::pair<std::string, std::string>> axes;  // axes that vary over the sweep, and their values
  bool is_repeat = false;                                 // the same config as an earlier point
  sweep::PointIndex repeats = -1;                         // number of that point; -1: not numbered
};

// The first `wanted` points.
[[nodiscard]] std::vector<PlannedPoint> list_points(const sweep::SweepSpec& spec,
                                                    const simulate::Catalog& catalog,
                                                    const PlanCounts& counts, std::int64_t wanted);

// The fate of the combinations with given values.
struct PointFate {
  struct Removal {
    std::string rule, expression, why;
    sweep::Count removed;
  };
  std::int64_t combinations = 0;
  std::vector<Removal> removals;   // rules that remove some of the combinations, in file order
  std::vector<PlannedPoint> kept;  // the first five that no rule removes
  sweep::Count kept_count;
  // Those of the first `looked_at` kept ones that no framework could start, by the requirement they break; the
  // most frequent first.
  struct Unsupported {
    Refusal rule;
    std::int64_t combinations = 0;
  };
  std::vector<Unsupported> unsupported;
  std::int64_t looked_at = 0;
};

// `point`: "tp=8,pp=4,schedule=1f1b"; axes that are not named may have any value. Throws UserError for an
// axis or a value that the sweep does not list.
[[nodiscard]] PointFate find_fate(const sweep::SweepSpec& spec, const simulate::Catalog& catalog,
                                  const PlanCounts& counts, const std::string& point);

[[nodiscard]] std::string points_text(const std::vector<PlannedPoint>& points);
[[nodiscard]] std::string fate_text(const PointFate& fate);
void add_points(const char* name, const std::vector<PlannedPoint>& points, text::Json& json);
void add_fate(const PointFate& fate, text::Json& json);  // adds the member "why" to the open object

}  // namespace echo::cli
