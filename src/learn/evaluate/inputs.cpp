#include "learn/evaluate/inputs.hpp"

#include <array>

namespace echo::learn {

namespace {

using slowdown::Communication;
using slowdown::KernelMetrics;
using slowdown::OverlapRow;

// --- of the feature set `metrics`: fields of a row
template <auto field>
constexpr Input of_row(std::string_view name, std::string_view units) {
  return {.name = name,
          .take = [](Example& into, const Example& from) { into.row.*field = from.row.*field; },
          .value = [](const Example& example) { return static_cast<double>(example.row.*field); },
          .set = [](Example& example, double value) { example.row.*field = value; },
          .units = units};
}
template <auto field>
constexpr Input of_metrics(std::string_view name, std::string_view units = "") {
  return {
      .name = name,
      .take = [](Example& into, const Example& from) { into.row.metrics.*field = from.row.metrics.*field; },
      .value = [](const Example& example) { return example.row.metrics.*field; },
      .set = [](Example& example, double value) { example.row.metrics.*field = value; },
      .units = units};
}
template <auto field>
constexpr Input of_beside(std::string_view name, std::string_view units) {
  return {.name = name,
          .take = [](Example& into, const Example& from) { into.row.beside.*field = from.row.beside.*field; },
          .value = [](const Example& example) { return example.row.beside.*field; },
          .set = [](Example& example, double value) { example.row.beside.*field = value; },
          .units = units};
}

constexpr std::array<Input, 21> metric_inputs{
    Input{.name = "kernel_name",
          .take =
              [](Example& into, const Example& from) {
                into.row.kernel = from.row.kernel;
                into.row.full_name = from.row.full_name;
              }},
    of_row<&OverlapRow::alone>("kernel_time", "s"),
    of_metrics<&KernelMetrics::compute_throughput>("compute_throughput"),
    of_metrics<&KernelMetrics::memory_throughput>("memory_throughput"),
    of_metrics<&KernelMetrics::dram_throughput>("dram_throughput"),
    of_metrics<&KernelMetrics::achieved_occupancy>("achieved_occupancy"),
    of_metrics<&KernelMetrics::maximum_occupancy>("maximum_occupancy"),
    of_metrics<&KernelMetrics::l1_hit_rate>("l1_hit_rate"),
    of_metrics<&KernelMetrics::l2_hit_rate>("l2_hit_rate"),
    of_metrics<&KernelMetrics::tensor_share>("tensor_share"),
    of_metrics<&KernelMetrics::fma_share>("fma_share"),
    of_metrics<&KernelMetrics::memory_share>("memory_share"),
    of_metrics<&KernelMetrics::registers>("registers"),
    of_metrics<&KernelMetrics::shared_memory>("shared_memory", "B"),
    of_metrics<&KernelMetrics::blocks>("blocks"),
    of_metrics<&KernelMetrics::threads>("threads"),
    Input{.name = "channels",
          .take =
              [](Example& into, const Example& from) {
                into.row.beside.channels = from.row.beside.channels;
                into.row.beside.made_by = from.row.beside.made_by;
              },
          .value =
              [](const Example& example) {
                const bool is_known = example.row.beside.channels > 0;
                return is_known ? example.row.beside.channels : slowdown::not_measured;
              },
          .set = [](Example& example,
                    double value) { example.row.beside.channels = static_cast<std::int32_t>(value); }},
    of_beside<&Communication::payload>("payload", "B"),
    of_beside<&Communication::link_rate>("link_rate", "B/s"),
    of_beside<&Communication::memory_rate>("memory_rate", "B/s"),
    of_beside<&Communication::alone>("collective_time", "s")};

// --- of the feature set `simulator`: what a sweep prices
template <auto field>
constexpr Input of_kernel(std::string_view name) {
  return {
      .name = name,
      .take = [](Example& into, const Example& from) { into.pair.kernel.*field = from.pair.kernel.*field; },
      .value = [](const Example& example) { return example.pair.kernel.*field; },
      .set = [](Example& example, double value) { example.pair.kernel.*field = value; }};
}

constexpr std::array<Input, 7> simulator_inputs{
    Input{.name = "kernel_time",
          .take = [](Example& into, const Example& from) { into.pair.kernel.alone = from.pair.kernel.alone; },
          .value = [](const Example& example) { return to_seconds(example.pair.kernel.alone); },
          .set = [](Example& example, double value) { example.pair.kernel.alone = from_seconds(value); },
          .units = "s"},
    Input{.name = "sm_share",  // and how its blocks come to it
          .take =
              [](Example& into, const Example& from) {
                into.pair.kernel.sm_share = from.pair.kernel.sm_share;
                into.pair.kernel.blocks = from.pair.kernel.blocks;
                into.pair.kernel.wave_loss = from.pair.kernel.wave_loss;
              },
          .value = [](const Example& example) { return example.pair.kernel.sm_share; },
          .set =
              [](Example& example, double value) {
                example.pair.kernel.sm_share = value;
                example.pair.kernel.blocks = example.pair.kernel.wave_loss = 0.0;
              }},
    of_kernel<&ops::KernelPrice::memory_share>("memory_share"),
    of_kernel<&ops::KernelPrice::compute_bound>("compute_bound"),
    Input{
        .name = "channels",
        .take = [](Example& into,
                   const Example& from) { into.pair.collective.channels = from.pair.collective.channels; },
        .value = [](const Example& example) { return static_cast<double>(example.pair.collective.channels); },
        .set = [](Example& example,
                  double value) { example.pair.collective.channels = static_cast<std::int32_t>(value); }},
    Input{.name = "memory_rate",
          .take =
              [](Example& into, const Example& from) {
                into.pair.collective.memory_rate = from.pair.collective.memory_rate;
              },
          .value = [](const Example& example) { return example.pair.collective.memory_rate; },
          .set = [](Example& example, double value) { example.pair.collective.memory_rate = value; },
          .units = "B/s"},
    Input{.name = "collective_time",
          .take = [](Example& into,
                     const Example& from) { into.pair.collective.time = from.pair.collective.time; },
          .value = [](const Example& example) { return to_seconds(example.pair.collective.time); },
          .set = [](Example& example, double value) { example.pair.collective.time = from_seconds(value); },
          .units = "s"}};

}  // namespace

std::span<const Input> inputs_of(slowdown::FeatureSet features) {
  if (features == slowdown::FeatureSet::metrics) return metric_inputs;
  return simulator_inputs;
}

}  // namespace echo::learn
