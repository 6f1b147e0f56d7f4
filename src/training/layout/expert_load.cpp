// The load of expert e over the mean is 1 + c d(e), where c is the coefficient of variation asked for and
// d(e) are standardised draws from an exponential distribution: a part of the tokens is spread evenly, as
// balancing makes it, and the rest follows the popularity of experts. The draws depend on the expert's
// number alone, so the busiest rank is never less busy where c is larger. With the Gini coefficient G of
// such loads c = 2 G. Measured on trained mixtures: G = 0.105 to 0.24 on natural text, 0.29 to 0.38 on
// random tokens, and max / mean nearly the same for every expert degree (Ma et al. 2026, arXiv:2605.20982,
// five models, 4 to 32 ranks): c = 0.2 to 0.8. All microbatches and layers have the same loads; the busiest
// rank of an expert group sets the pace of both all-to-alls, so it is the one modelled. Neglected: loads
// that change from layer to layer, replicas of the model with other busiest ranks, draws by a sweep's own
// seed.
#include "training/layout/expert_load.hpp"

#include <algorithm>
#include <cmath>

#include "base/counter_rng.hpp"

namespace echo::training {

namespace {

constexpr std::uint64_t loads_seed = 2605'20982;

double popularity(std::int32_t expert) {
  return -std::log(1.0 - draw_unit(loads_seed, static_cast<std::uint64_t>(expert), 0));
}

struct Moments {
  double mean = 0.0, deviation = 0.0, least = 0.0, most = 0.0;
};

Moments moments_of(const ModelSpec& m) {
  double sum = 0.0, squares = 0.0;
  Moments out{.least = popularity(0), .most = popularity(0)};
  for (std::int32_t e = 0; e < m.experts; ++e) {
    const double x = popularity(e);
    sum += x, squares += x * x;
    out.least = std::min(out.least, x), out.most = std::max(out.most, x);
  }
  out.mean = sum / m.experts;
  out.deviation = std::sqrt(std::max(0.0, squares / m.experts - out.mean * out.mean));
  return out;
}

// The greatest mean of d(e) over `parts` equal runs of experts.
double busiest_part(const ModelSpec& m, const Moments& moments, std::int32_t parts) {
  const std::int32_t each = m.experts / parts;
  double busiest = 0.0;
  for (std::int32_t part = 0; part < parts; ++part) {
    double sum = 0.0;
    for (std::int32_t e = part * each; e < (part + 1) * each; ++e) sum += popularity(e) - moments.mean;
    busiest = std::max(busiest, sum / each);
  }
  return moments.deviation > 0.0 ? busiest / moments.deviation : 0.0;
}

double choose(std::int32_t of, std::int32_t some) {
  double ways = 1.0;
  for (std::int32_t i = 1; i <= some; ++i) ways *= static_cast<double>(of - some + i) / i;
  return ways;
}

}  // namespace

// Where all that come are taken.
static double busiest_rank(const TrainingConfig& c, const ModelSpec& m, const Moments& moments) {
  const double variation = c.recipe.imbalance_permille / 1000.0;
  return c.degrees.expert > 1 ? 1.0 + variation * busiest_part(m, moments, c.degrees.expert) : 1.0;
}

ExpertLoad busiest_load(const TrainingConfig& c, const ModelSpec& m, const RankLayout& layout) {
  const Recipe& r = c.recipe;
  if (!m.has_experts()) return {};
  if (r.capacity_permille > 0)  // what is dropped does not travel, what is padded is padded on arrival
    return {.node = std::min(1.0, r.capacity_permille / 1000.0)};
  if (r.imbalance_permille == 0) return {};
  const double variation = r.imbalance_permille / 1000.0;
  const Moments moments = moments_of(m);
  ExpertLoad load;
  load.rank = busiest_rank(c, m, moments);
  if (layout.expert_across.ranks > 1)
    load.node += variation * busiest_part(m, moments, layout.expert_across.ranks);
  return load;
}

// Choices are drawn with replacement: a part that holds a share s of what a token may choose is missed with
// probability (1 - s)^k. A token's g groups of the G are drawn without replacement, so that a part of c
// groups holds i of them with hypergeometric probability, and then a share i / g; a part inside one group
// holds a share (G / parts) / g where its group is among the g.
double parts_per_token(const ModelSpec& m, std::int32_t parts, double busiest) {
  const auto hit = [&](double share) {
    return 1.0 - std::pow(1.0 - std::min(1.0, busiest * share), m.experts_per_token);
  };
  const std::int32_t groups = m.routing_groups, chosen = m.groups_per_token;
  if (groups == 0 || chosen >= groups || (groups % parts != 0 && parts % groups != 0))
    return parts * hit(1.0 / parts);
  if (parts >= groups) return parts * chosen / double(groups) * hit(groups / double(parts) / chosen);
  const std::int32_t each = groups / parts;
  double sum = 0.0;
  for (std::int32_t i = std::max(1, chosen - (groups - each)); i <= std::min(each, chosen); ++i)
    sum += choose(each, i) * choose(groups - each, chosen - i) / choose(groups, chosen) *
           hit(i / double(chosen));
  return parts * sum;
}

double routed_tokens(const TrainingConfig& c, const ModelSpec& m) {
  const std::int64_t tokens =
      std::int64_t{c.batch.sequence_tokens} / c.degrees.context * c.batch.micro_samples / c.degrees.tensor;
  if (c.recipe.capacity_permille > 0)
    return static_cast<double>(expert_capacity(c, m, tokens) * m.experts * c.degrees.expert_tensor);
  const double load = c.recipe.imbalance_permille > 0 ? busiest_rank(c, m, moments_of(m)) : 1.0;
  return static_cast<double>(tokens * m.experts_per_token * c.degrees.expert_tensor) * load;
}

double greatest_imbalance(const ModelSpec& m) {
  const Moments moments = moments_of(m);
  const double most_tokens = static_cast<double>(m.experts) / m.experts_per_token;
  const double below = moments.mean - moments.least, above = moments.most - moments.mean;
  if (above <= 0.0) return 0.0;
  return moments.deviation * std::min(1.0 / below, (most_tokens - 1.0) / above);
}

std::int64_t expert_capacity(const TrainingConfig& c, const ModelSpec& m, std::int64_t tokens) {
  const std::int64_t parts = 1000LL * m.experts;
  return (tokens * m.experts_per_token * c.recipe.capacity_permille + parts - 1) / parts;
}

}  // namespace echo::training
