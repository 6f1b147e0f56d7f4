// The counts of `plan`: combinations, those removed by each rule, repeats, and the points to run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulate/catalog.hpp"
#include "sweep/space/count_space.hpp"
#include "sweep/space/design_space.hpp"
#include "sweep/spec.hpp"
#include "text/json.hpp"

namespace echo::cli {

struct PlanCounts {
  sweep::SpaceCount space;
  std::vector<sweep::RuleCount> alone;               // combinations removed by each rule alone
  std::optional<sweep::Count> repeats;               // absent if not counted
  sweep::Count to_run;                               // includes the repeats if they were not counted
  std::unique_ptr<const sweep::DesignSpace> points;  // null if there are too many to enumerate in seconds
};

// Keeps a reference to `catalog` in `points`. Throws UserError as DesignSpace does.
[[nodiscard]] PlanCounts count_plan(const sweep::SweepSpec& spec, const simulate::Catalog& catalog);

// "1 234", or "~1 234" for an estimate.
[[nodiscard]] std::string show_estimate(const sweep::Count& count);

[[nodiscard]] std::string waterfall_text(const sweep::SweepSpec& spec, const PlanCounts& counts);
// Each rule on its own.
[[nodiscard]] std::string alone_text(const PlanCounts& counts);
[[nodiscard]] std::string to_run_text(const sweep::SweepSpec& spec, const PlanCounts& counts);

// Adds members to the open object.
void add_counts(const PlanCounts& counts, text::Json& json);
void add_count(std::string_view name, const sweep::Count& count, text::Json& json);

}  // namespace echo::cli
