// Overlaps whose slowdown is known, for tests of what is learned from them.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "base/counter_rng.hpp"
#include "learn/candidates/candidates.hpp"
#include "learn/candidates/examples.hpp"

namespace echo::testing {

inline std::vector<std::int32_t> all_rows(const learn::Examples& examples) {
  std::vector<std::int32_t> rows(examples.rows.size());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

// Those of the table that have these names, in its order. Tests leave networks out where they can:
// unoptimised builds train them slowly.
inline std::vector<learn::Candidate> candidates_named(const learn::Examples& examples,
                                                      const std::vector<std::string>& names) {
  std::vector<learn::Candidate> table = learn::candidates_of(examples);
  std::erase_if(table, [&](const learn::Candidate& candidate) {
    return std::find(names.begin(), names.end(), candidate.name) == names.end();
  });
  return table;
}

// Kernels k0..k(kernels - 1) with drawn metrics, every one overlapped; `slowdown` of a row, then noise in
// +-noise is added.
inline learn::Examples metric_examples(std::int32_t count, std::int32_t kernels, std::uint64_t seed,
                                       const std::function<double(const slowdown::OverlapRow&)>& slowdown,
                                       double noise = 0.0) {
  learn::Examples examples;
  for (std::int32_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    learn::Example example;
    slowdown::OverlapRow& row = example.row;
    row.kernel = "k" + std::to_string(draw(seed, 1, number) % static_cast<std::uint64_t>(kernels));
    row.full_name = row.kernel + "<float>";
    row.gpu = "a100-sxm";
    row.alone = 1e-6 * std::exp2(10.0 * draw_unit(seed, 2, number));
    row.metrics.compute_throughput = draw_unit(seed, 3, number);
    row.metrics.memory_throughput = draw_unit(seed, 4, number);
    row.metrics.dram_throughput = draw_unit(seed, 5, number);
    row.metrics.achieved_occupancy = draw_unit(seed, 6, number);
    row.metrics.maximum_occupancy = 1.0;
    row.overlap_ratio = 0.5 + 0.5 * draw_unit(seed, 7, number);
    const double of_row = slowdown(row) + noise * (2.0 * draw_unit(seed, 8, number) - 1.0);
    row.overlapped = slowdown::overlapped_time(row.alone, row.overlap_ratio, of_row);
    examples.rows.push_back(std::move(example));
  }
  return examples;
}

inline double by_dram(const slowdown::OverlapRow& row) {
  return row.metrics.dram_throughput > 0.5 ? 1.0 : 0.0;
}
inline double by_name(const slowdown::OverlapRow& row) { return row.kernel == "k0" ? 1.5 : 0.1; }
inline double by_nothing(const slowdown::OverlapRow&) { return 0.0; }

// Pairs as a sweep prices them; both sides are slowed by what the collective takes of the SMs, `strength`
// times.
inline learn::Examples priced_examples(std::int32_t count, std::uint64_t seed, double strength) {
  learn::Examples examples = metric_examples(count, 6, seed, by_nothing);
  examples.features = slowdown::FeatureSet::simulator;
  for (std::int32_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    learn::Example& example = examples.rows[i];
    example.pair.machine = {.sm_count = 108, .memory_bandwidth = 2e12};
    example.pair.kernel = {.alone = from_seconds(example.row.alone),
                           .sm_share = 0.5 + 0.5 * draw_unit(seed, 11, number),
                           .memory_share = 0.2 * draw_unit(seed, 12, number),
                           .compute_bound = draw_unit(seed, 13, number)};
    example.pair.collective = {.time = from_seconds(1e-4 * (1.0 + draw_unit(seed, 14, number))),
                               .channels = 2 + static_cast<std::int32_t>(30 * draw_unit(seed, 15, number)),
                               .memory_rate = 1e11};
    const double slowdown = strength * example.pair.collective.channels / 108.0;
    slowdown::OverlapRow& row = example.row;
    row.overlapped = slowdown::overlapped_time(row.alone, row.overlap_ratio, slowdown);
    row.beside.channels = example.pair.collective.channels;
    row.beside.alone = to_seconds(example.pair.collective.time);
    row.beside.overlap_ratio = 1.0;
    row.beside.overlapped = row.beside.alone * (1.0 + slowdown);
  }
  return examples;
}

}  // namespace echo::testing
