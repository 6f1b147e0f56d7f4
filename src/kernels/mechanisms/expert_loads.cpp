// The published benchmarks draw expert loads from a power law of density x^-(1 + 1/p) between 1 and 0.8
// times the tokens, scale them to the number of rows, and let no expert have more rows than there are
// tokens. (Source: ai-dynamo/aiconfigurator collector/helper.py, power_law_logits_v3.) Here the experts are
// placed at the quantiles (i + 1/2) / groups of that law, so nothing is drawn:
//   x(u) = (1 - u (1 - X^(-1/p)))^-p,   X = 0.8 tokens
// in at most 16 groups. The busiest rank is a sample of the law given its sum, which is taken to follow the
// law again. Neglected: the spread around quantiles, which affects a mean over draws only through `padded`.
#include "kernels/mechanisms/expert_loads.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::kernels {

namespace {

double power(double base, std::int32_t exponent) {
  double out = 1.0;
  for (; exponent > 0; exponent >>= 1, base *= base)
    if ((exponent & 1) != 0) out *= base;
  return out;
}

// Raises loads until they sum to `rows` with none above `most`.
void fill(ExpertLoads& loads, double rows, double most) {
  constexpr int rounds = 4;  // each may bring more experts to the ceiling
  for (int round = 0; round < rounds; ++round) {
    double full = 0.0, below = 0.0;
    for (std::int32_t i = 0; i < loads.groups; ++i) {
      double& one = loads.rows[at(i)];
      one = std::min(one, most);
      (one >= most ? full : below) += one * loads.experts;
    }
    if (below <= 0.0) return;
    for (double& one : loads.rows)
      if (one < most) one *= (rows - full) / below;
  }
  for (double& one : loads.rows) one = std::min(one, most);
}

}  // namespace

ExpertLoads even_loads(double rows_an_expert, std::int32_t experts) {
  ExpertLoads out{.groups = 1, .experts = static_cast<double>(experts), .even = true};
  out.rows[0] = rows_an_expert;
  return out;
}

ExpertLoads loads_of(const ops::KernelKey& key) {
  const ops::Routing routing = ops::routing_of(key);
  ECHO_EXPECT(key.batch >= 1 && routing.unevenness >= 0);
  const double rows = routing.rows;
  if (routing.unevenness == 0) return even_loads(rows / key.batch, key.batch);
  ExpertLoads out{.groups = std::min(key.batch, ExpertLoads::most_groups), .even = false};
  out.experts = static_cast<double>(key.batch) / out.groups;
  const double most = std::max(2.0, 0.8 * key.m);
  const double reach = 1.0 - std::pow(most, -1.0 / routing.unevenness);
  for (std::int32_t i = 0; i < out.groups; ++i) {
    const double u = (i + 0.5) / out.groups;
    // Relative to the largest load, so that no power overflows.
    out.rows[at(i)] = power((1.0 - reach) / (1.0 - u * reach), routing.unevenness);
  }
  double sum = 0.0;
  for (std::int32_t i = 0; i < out.groups; ++i) sum += out.rows[at(i)] * out.experts;
  for (double& one : out.rows) one *= rows / sum;
  fill(out, rows, key.m);
  return out;
}

double padded(const ExpertLoads& loads, std::int32_t group, double block, double one_over_block) {
  const double rows = loads.rows[at(group)];
  if (loads.even) return rounded_up(rows * one_over_block) * block;
  const double busy = std::min(1.0, rows);  // share of draws in which the expert has any row
  return std::max(busy * block, rows + busy * block / 2);
}

}  // namespace echo::kernels
