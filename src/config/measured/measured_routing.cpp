// The timings' own routing (source: ai-dynamo/aiconfigurator collector/helper.py: balanced_logits,
// power_law_logits_v3, build_rank0_local_workload):
//   balanced   token i chooses experts i + j * ceil(experts / choices), modulo experts, for each choice j
//   power law  a weight is drawn for each expert from density x^-a between 1 and 0.8 tokens; weights are
//              scaled to tokens * choices rows; rows above one per token go to the least busy expert of every
//              rank in turn; the busiest rank is timed. Experts, busiest first, take consecutive tokens,
//              round and round.
// Timings are means over five draws. Ours are means over `draws` fixed ones, without rounding to whole rows.
#include "config/measured/measured_routing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "base/counter_rng.hpp"

namespace echo::config {

namespace {

constexpr std::uint64_t seed = 0x65787065727473;  // any
constexpr std::int32_t draws = 24;

std::int32_t ceiling(std::int32_t a, std::int32_t b) { return (a + b - 1) / b; }

// Tokens whose distance is a multiple of `experts` make the same choices.
ops::Routing balanced(const RoutingDrawn& d) {
  const std::int32_t stride = ceiling(d.experts, d.choices), here = d.experts / d.ranks,
                     period = d.tokens >= stride ? std::min(d.tokens, d.experts) : d.tokens;
  ops::Routing out{.experts = d.experts};
  for (std::int32_t token = 0; token < period; ++token) {
    const std::int32_t first =
        d.tokens >= stride ? token : static_cast<std::int32_t>(std::int64_t{token} * stride / d.tokens);
    const std::int32_t alike = d.tokens / period + (token < d.tokens % period ? 1 : 0);
    std::int32_t copies = 0;
    for (std::int32_t choice = 0; choice < d.choices; ++choice)
      copies += (first + choice * stride) % d.experts < here ? 1 : 0;
    out.rows += copies * alike;
    out.reached += copies > 0 ? alike : 0;
  }
  return out;
}

// Raises the least busy of a rank's experts by `rows` together, none above `most`.
void add_to_least(std::vector<double>& loads, double rows, double most) {
  std::sort(loads.begin(), loads.end());
  for (std::size_t level = 1; level <= loads.size() && rows > 0.0; ++level) {
    const double next = level < loads.size() ? std::min(loads[level], most) : most;
    const double step = std::min(rows / static_cast<double>(level), next - loads[0]);
    if (step <= 0.0) continue;
    for (std::size_t i = 0; i < level; ++i) loads[i] += step;
    rows -= step * static_cast<double>(level);
  }
}

using RankLoads = std::vector<std::vector<double>>;

RankLoads draw_loads(const RoutingDrawn& d, std::int32_t number) {
  const std::int32_t here = d.experts / d.ranks;
  const bool many = std::int64_t{d.tokens} * d.choices > d.experts;
  const double least = many ? 1.0 : 0.01, most = many ? 0.8 * d.tokens : 2.0;
  const double p = d.unevenness, low = std::pow(least, -1.0 / p), high = std::pow(most, -1.0 / p);
  const std::uint64_t key =
      mix(static_cast<std::uint64_t>(d.experts) << 32 | static_cast<std::uint64_t>(number));
  RankLoads out(static_cast<std::size_t>(d.ranks), std::vector<double>(static_cast<std::size_t>(here)));
  double sum = 0.0;
  std::uint64_t expert = 0;
  for (auto& rank : out)
    for (double& one : rank) sum += one = std::pow(low + draw_unit(seed, key, expert++) * (high - low), -p);
  double overflow = 0.0;
  for (auto& rank : out)
    for (double& one : rank) {
      one *= static_cast<double>(d.tokens) * d.choices / sum;
      overflow += std::max(0.0, one - d.tokens);
      one = std::min<double>(one, d.tokens);
    }
  if (overflow > 0.0)
    for (auto& rank : out) add_to_least(rank, overflow / d.ranks, d.tokens);
  return out;
}

double total(const std::vector<double>& loads) { return std::accumulate(loads.begin(), loads.end(), 0.0); }

// Tokens with a row on `rank`, experts taking consecutive tokens in the order of their loads.
double tokens_reaching(const RankLoads& loads, std::size_t rank, double tokens) {
  std::vector<std::pair<double, bool>> order;  // load, whether on the rank
  for (std::size_t r = 0; r < loads.size(); ++r)
    for (const double one : loads[r]) order.emplace_back(one, r == rank);
  std::sort(order.rbegin(), order.rend());
  std::vector<std::pair<double, double>> spans;
  double at = 0.0;
  for (const auto& [load, is_here] : order) {
    const double begin = std::fmod(at, tokens), end = begin + load;
    at += load;
    if (!is_here) continue;
    spans.emplace_back(begin, std::min(end, tokens));
    if (end > tokens) spans.emplace_back(0.0, end - tokens);
  }
  std::sort(spans.begin(), spans.end());
  double covered = 0.0, until = 0.0;
  for (const auto& [begin, end] : spans) {
    covered += std::max(0.0, end - std::max(begin, until));
    until = std::max(until, end);
  }
  return covered;
}

ops::Routing uneven(const RoutingDrawn& d) {
  double rows = 0.0, reached = 0.0;
  for (std::int32_t number = 0; number < draws; ++number) {
    const RankLoads loads = draw_loads(d, number);
    std::size_t busiest = 0;
    for (std::size_t rank = 1; rank < loads.size(); ++rank)
      if (total(loads[rank]) > total(loads[busiest])) busiest = rank;
    rows += total(loads[busiest]) / draws;
    reached += tokens_reaching(loads, busiest, d.tokens) / draws;
  }
  return {.experts = d.experts,
          .rows = std::max(1, static_cast<std::int32_t>(std::lround(rows))),
          .reached = std::max(1, static_cast<std::int32_t>(std::lround(reached))),
          .unevenness = d.unevenness};
}

struct LocalExperts {
  std::int32_t experts, inner;
};

// Shapes for which the sglang that was timed has a file of tile sizes for 16-bit weights
// (E=<experts>,N=<inner size>,device_name=<GPU>.json in sgl-project/sglang
// python/sglang/srt/layers/moe/moe_runner/triton_utils/configs). The names were read from incomplete listings
// of several versions. Where those are silent, a shape is here when its timings beat the default tile's
// by 1.25 or more; where they name a shape that runs no faster, the file is newer and the shape is left out.
constexpr LocalExperts tuned_on_a100[] = {{1, 1792}, {1, 3584}, {1, 7168}, {1, 14336}, {8, 1792}, {8, 2048},
                                          {8, 3584}, {8, 4096}, {8, 7168}, {16, 1344}, {16, 2688}};
constexpr LocalExperts tuned_on_h100[] = {
    {8, 1792},  {8, 2048},   {8, 3584},   {8, 4096},   {8, 7168},  {16, 1024},  {16, 1344},  {16, 1856},
    {16, 2048}, {16, 2688},  {24, 1024},  {32, 928},   {32, 1856}, {64, 464},   {64, 640},   {64, 928},
    {64, 1280}, {64, 1856},  {64, 2688},  {128, 192},  {128, 384}, {128, 464},  {128, 512},  {128, 768},
    {128, 928}, {128, 1344}, {128, 1856}, {128, 2688}, {256, 672}, {256, 1344}, {256, 2688}, {512, 128},
    {512, 336}, {512, 672},  {512, 1344}, {512, 2688}};
constexpr LocalExperts tuned_on_h200[] = {{8, 1792},  {8, 2048},  {8, 3584},  {8, 4096},  {8, 7168},
                                          {8, 14336}, {16, 1024}, {64, 640},  {64, 1280}, {128, 192},
                                          {128, 384}, {128, 768}, {512, 128}, {512, 256}};
constexpr LocalExperts tuned_on_b200[] = {{16, 1856}, {16, 2048},  {32, 928},   {32, 1856},  {64, 464},
                                          {64, 928},  {64, 1856},  {64, 2688},  {128, 232},  {128, 464},
                                          {128, 928}, {128, 1344}, {128, 1856}, {128, 2688}, {256, 256},
                                          {256, 512}, {256, 672},  {256, 1344}, {256, 2688}, {512, 128},
                                          {512, 256}, {512, 336},  {512, 672},  {512, 1344}, {512, 2688}};

template <std::size_t n>
bool holds(const LocalExperts (&table)[n], const ops::KernelKey& key) {
  return std::any_of(std::begin(table), std::end(table),
                     [&](const LocalExperts& one) { return one.experts == key.batch && one.inner == key.n; });
}

}  // namespace

std::int32_t unevenness_of(std::string_view distribution) {
  constexpr std::string_view power_law = "power_law_";
  if (distribution == "balanced") return 0;
  if (distribution.substr(0, power_law.size()) != power_law) return -1;
  const double excess =
      std::strtod(std::string(distribution.substr(power_law.size())).c_str(), nullptr) - 1.0;
  return excess > 1e-3 ? std::max(1, static_cast<std::int32_t>(std::lround(1.0 / excess))) : -1;
}

std::optional<ops::Routing> MeasuredRoutings::of(const RoutingDrawn& drawn) {
  if (drawn.unevenness < 0 || drawn.ranks < 1 || drawn.experts % drawn.ranks != 0 || drawn.tokens < 1)
    return std::nullopt;
  const auto found = known_.find(drawn);
  if (found != known_.end()) return found->second;
  ops::Routing routing = drawn.unevenness == 0 ? balanced(drawn) : uneven(drawn);
  routing.rows = std::max(routing.rows, 1), routing.reached = std::max(routing.reached, 1);
  return known_.emplace(drawn, routing).first->second;
}

bool has_gate(const ops::KernelKey& key, std::string_view library, double inner) {
  const bool nano = key.k == 2688 && inner == 1856.0 && key.groups == 6;
  const bool super = key.k == 4096 && inner == 2688.0 && key.groups == 22;
  return library != "trtllm" || !(nano || super);
}

bool has_tuned_tiles(const ops::KernelKey& key, std::string_view gpu) {
  if (key.library != ops::KernelLibrary::sglang || key.precision != ops::Precision::bf16) return false;
  if (gpu.substr(0, 4) == "a100") return holds(tuned_on_a100, key);
  if (gpu.substr(0, 4) == "h100") return holds(tuned_on_h100, key);
  if (gpu.substr(0, 4) == "h200") return holds(tuned_on_h200, key);
  if (gpu.substr(0, 4) == "b200") return holds(tuned_on_b200, key);
  return false;
}

}  // namespace echo::config
