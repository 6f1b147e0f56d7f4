// [[limit]]: bounds on the metrics of a simulated point. A row that violates one is kept, as infeasible.
#pragma once

#include "campaign/terms.hpp"
#include "simulate/catalog.hpp"
#include "sweep/language/point_state.hpp"
#include "sweep/language/program.hpp"
#include "sweep/run/row.hpp"

namespace echo::sweep {

// Judges a row with status ok: the first limit it breaks, in file order, makes it infeasible with reason
// `limit` and sets Row::limit and Row::limit_excess; the report keeps its times. A metric that is not known,
// or a bound that has no value (a division by zero), breaks nothing. `state` is the point the row is of.
void apply_limits(const Program& program, const PointState& state, const simulate::Catalog& catalog,
                  const campaign::Terms& terms, Row& row);

}  // namespace echo::sweep
