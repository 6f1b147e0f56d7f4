#include "sweep/language/limits.hpp"

#include <cmath>

namespace echo::sweep {

// The excess over its bound, as a share of the bound; 0 or less where the limit holds. Infinite where the
// bound is 0.
static double excess(const CompiledLimit& limit, const PointState& state, const MetricInput& input) {
  const double value = limit.metric->value(input);
  const auto evaluated = evaluate(limit.bound, state.slot);
  if (std::isnan(value) || !evaluated) return 0.0;
  const double bound =
      limit.bound.type == Type::integer ? static_cast<double>(evaluated->number) : evaluated->real;
  const double past = limit.is_max ? value - bound : bound - value;
  return past > 0.0 ? past / std::fabs(bound) : 0.0;
}

void apply_limits(const Program& program, const PointState& state, const simulate::Catalog& catalog,
                  const campaign::Terms& terms, Row& row) {
  if (row.report.status != training::Status::ok) return;
  const MetricInput input{row.config, row.report, catalog, terms};
  for (std::size_t i = 0; i < program.limits.size(); ++i) {
    const double past = excess(program.limits[i], state, input);
    if (past <= 0.0) continue;
    row.report.status = training::Status::infeasible;
    row.report.reason = training::Reason::limit;
    row.limit = static_cast<std::int32_t>(i);
    row.limit_excess = past;
    return;
  }
}

}  // namespace echo::sweep
