// What `plan` counts: combinations, what each rule removes of them, repeats, and what is left to run.
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
  std::vector<sweep::RuleCount> alone;               // what each rule removes by itself
  std::optional<sweep::Count> repeats;               // nothing where they were not counted
  sweep::Count to_run;                               // where repeats were not counted, too many by those
  std::unique_ptr<const sweep::DesignSpace> points;  // null where they are too many to number in seconds
};

// Keeps a reference to `catalog` in `points`. Throws UserError as DesignSpace does.
[[nodiscard]] PlanCounts count_plan(const sweep::SweepSpec& spec, const simulate::Catalog& catalog);

// "1 234", or "~1 234" for an estimate.
[[nodiscard]] std::string show_estimate(const sweep::Count& count);

[[nodiscard]] std::string waterfall_text(const sweep::SweepSpec& spec, const PlanCounts& counts);
// Each rule by itself.
[[nodiscard]] std::string alone_text(const PlanCounts& counts);
[[nodiscard]] std::string to_run_text(const sweep::SweepSpec& spec, const PlanCounts& counts);

// Members of an object that is open.
void add_counts(const PlanCounts& counts, text::Json& json);
void add_count(std::string_view name, const sweep::Count& count, text::Json& json);

}  // namespace echo::cli
