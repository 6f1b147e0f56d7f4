// Why a point is not feasible, and its nearest feasible ones, as text and JSON.
#pragma once

#include <string>

#include "explain/nearest/best_row.hpp"
#include "explain/nearest/nearest_feasible.hpp"
#include "text/json.hpp"

namespace echo::explain {

// "pp 4 -> 8, zero 0 -> 1".
[[nodiscard]] std::string change_text(const Way&);

struct NearestReport {
  const sweep::OnePoint& point;
  const sweep::SweepSpec& spec;
  const simulate::Catalog& catalog;
  const Nearest& nearest;
  const BestRow& best;
  std::int64_t shown = 5;  // ways
};

[[nodiscard]] std::string nearest_text(const NearestReport&);
// Adds members to the open object: point, status, causes, memory, and every way.
void add_nearest(text::Json&, const NearestReport&);

}  // namespace echo::explain
