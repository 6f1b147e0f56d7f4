// The value of each column of hdf5_schemas/results_v1.toml: the value of its axis, its metric, or one line
// here; checked by the compiler both ways.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "base/at.hpp"
#include "campaign/terms.hpp"
#include "simulate/catalog.hpp"
#include "sweep/choice/overruled.hpp"
#include "sweep/language/metric.hpp"
#include "sweep/run/row.hpp"
#include "training/axis.hpp"

namespace echo::results {

// One row, and what its ids mean. `code_of` maps a table index to the code this file gives the name.
struct Context {
  const sweep::Row& row;
  const simulate::Catalog& catalog;
  const campaign::Terms& terms;
  std::int64_t number = 0;  // position in the file
};

// What a row must have to have a value of its own: all rows without it have the same.
enum class Needs : std::int8_t { nothing, a_step, memory };
inline constexpr std::size_t needs_count = 3;

// One function is set, and asked for rows that have what it needs alone. Where a column names a table,
// `integer` yields an index into it; the writer turns it into a code.
struct Filler {
  std::string_view column;
  Needs needs = Needs::nothing;
  std::int64_t blank = -1;  // an integer column's value in all other rows; real ones are NaN there
  std::int64_t (*integer)(const Context&) = nullptr;
  double (*real)(const Context&) = nullptr;
  void (*parts)(const Context&, double* out) = nullptr;

  constexpr Filler(std::string_view name, std::int64_t (*fill)(const Context&), Needs what = Needs::nothing,
                   std::int64_t otherwise = -1)
      : column(name), needs(what), blank(otherwise), integer(fill) {}
  constexpr Filler(std::string_view name, double (*fill)(const Context&), Needs what = Needs::nothing)
      : column(name), needs(what), real(fill) {}
  constexpr Filler(std::string_view name, void (*fill)(const Context&, double*), Needs what)
      : column(name), needs(what), parts(fill) {}
};

namespace fill {

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();

inline const training::TrainingConfig& config(const Context& c) { return c.row.config; }
inline const training::Degrees& degrees(const Context& c) { return c.row.config.degrees; }
inline const simulate::StepReport& report(const Context& c) { return c.row.report; }
// Rows past a limit were timed too.
inline bool is_timed(const Context& c) { return report(c).step > SimTime::zero(); }
inline bool has_memory(const Context& c) { return report(c).memory_peak.value > 0; }
inline bool has(const Context& c, Needs what) {
  return what == Needs::nothing || (what == Needs::a_step ? is_timed(c) : has_memory(c));
}

inline double sensitivity(const Context& c, Bottleneck bottleneck) {
  return report(c).bottleneck[at(bottleneck)];
}
inline double error_of(const Context& c, ErrorSource source) {
  return static_cast<double>(report(c).error[at(source)]);
}
inline void times(const std::array<SimTime, time_category_count>& parts, double* out) {
  for (const SimTime part : parts) *out++ = to_seconds(part);
}
inline constexpr std::int64_t no_evidence = 4;
inline std::int64_t evidence(const Context& c) {  // a code of the schema
  constexpr std::int64_t what_if = 5;
  const bool is_so = c.catalog.gpu(config(c)).what_if != machine::WhatIf::none ||
                     c.catalog.cluster(config(c).cluster).what_if != machine::WhatIf::none;
  return is_so ? what_if : static_cast<std::int64_t>(report(c).evidence);
}
inline std::int64_t gpu_index(const Context& c) {
  const auto own = config(c).gpu;
  return own.is_none() ? c.catalog.cluster(config(c).cluster).gpu.index() : own.index();
}
inline std::int64_t nccl_version(const Context& c) {
  const std::int32_t asked = config(c).nccl_version;
  return asked != 0 ? asked : c.catalog.cluster(config(c).cluster).nccl_version;
}

using In = const Context&;
using Int = std::int64_t;

// clang-format off
inline constexpr Filler own_fillers[] = {
    {"config", [](In c) -> Int { return c.number; }},
    {"config_id", [](In c) -> Int { return static_cast<Int>(c.row.config_id); }},
    {"gpu", [](In c) -> Int { return gpu_index(c); }},
    {"recipe_overruled", [](In c) -> Int { return std::ssize(sweep::overruled_axes(config(c), c.catalog)); }},
    {"gpus", [](In c) -> Int { return training::gpus_of(degrees(c)); }},
    {"microbatches", [](In c) -> Int { return training::microbatches_of(config(c)); }},
    {"global_batch_tokens", [](In c) -> Int { return Int{config(c).batch.global_samples} * config(c).batch.sequence_tokens; }},
    {"nccl_version", [](In c) -> Int { return nccl_version(c); }},
    {"status", [](In c) -> Int { return static_cast<Int>(report(c).status); }},
    {"reason", [](In c) -> Int { return static_cast<Int>(report(c).reason); }},
    {"rule", [](In c) -> Int { return report(c).rule != 0 ? report(c).rule : -1; }},
    {"reason_margin", [](In c) { return report(c).reason == training::Reason::memory ? report(c).reason_margin : missing; }},
    {"limit", [](In c) -> Int { return c.row.limit; }},
    {"limit_excess", [](In c) { return c.row.limit >= 0 ? c.row.limit_excess : missing; }},
    {"evidence", [](In c) -> Int { return evidence(c); }, Needs::a_step, no_evidence},
    {"out_of_range", [](In c) -> Int { return report(c).out_of_range; }, Needs::a_step, 0},
    {"untried", [](In c) -> Int { return report(c).untried; }, Needs::a_step, 0},
    {"critical_stage", [](In c) -> Int { return report(c).critical_stage; }, Needs::a_step},
    {"mem_peak_stage", [](In c) -> Int { return report(c).memory_stage; }, Needs::memory},
    {"step_time_no_slowdown", [](In c) { return to_seconds(report(c).step_no_slowdown); }, Needs::a_step},
    {"step_time_no_contention", [](In c) { return to_seconds(report(c).step_no_contention); }, Needs::a_step},
    {"best_published_mfu", [](In c) { return report(c).best_published_mfu > 0.0F ? static_cast<double>(report(c).best_published_mfu) : missing; }, Needs::a_step},
    {"fit_chance", [](In c) { return static_cast<double>(report(c).fit_chance); }, Needs::memory},
    {"mem_limit", [](In c) { return static_cast<double>(report(c).memory_limit.value); }, Needs::memory},
    {"measured_share", [](In c) { return report(c).measured_share; }, Needs::a_step},
    {"sens_flops", [](In c) { return sensitivity(c, Bottleneck::arithmetic); }, Needs::a_step},
    {"sens_hbm", [](In c) { return sensitivity(c, Bottleneck::memory); }, Needs::a_step},
    {"sens_scale_up", [](In c) { return sensitivity(c, Bottleneck::scale_up); }, Needs::a_step},
    {"sens_scale_out", [](In c) { return sensitivity(c, Bottleneck::scale_out); }, Needs::a_step},
    {"sens_latency", [](In c) { return sensitivity(c, Bottleneck::latency); }, Needs::a_step},
    {"sens_host", [](In c) { return sensitivity(c, Bottleneck::host); }, Needs::a_step},
    {"rel_error", [](In c) { return static_cast<double>(report(c).rel_error); }, Needs::a_step},
    {"rel_error_p90", [](In c) { return static_cast<double>(report(c).rel_error_p90); }, Needs::a_step},
    {"error_arithmetic", [](In c) { return error_of(c, ErrorSource::arithmetic); }, Needs::a_step},
    {"error_memory", [](In c) { return error_of(c, ErrorSource::memory); }, Needs::a_step},
    {"error_scale_up", [](In c) { return error_of(c, ErrorSource::scale_up); }, Needs::a_step},
    {"error_scale_out", [](In c) { return error_of(c, ErrorSource::scale_out); }, Needs::a_step},
    {"error_latency", [](In c) { return error_of(c, ErrorSource::latency); }, Needs::a_step},
    {"error_host", [](In c) { return error_of(c, ErrorSource::host); }, Needs::a_step},
    {"error_overlap", [](In c) { return error_of(c, ErrorSource::overlap); }, Needs::a_step},
    {"error_framework", [](In c) { return error_of(c, ErrorSource::framework); }, Needs::a_step},
    {"error_layout", [](In c) { return error_of(c, ErrorSource::layout); }, Needs::a_step},
    {"error_production", [](In c) { return error_of(c, ErrorSource::production); }, Needs::a_step},
    {"mem_rel_error", [](In c) { return static_cast<double>(report(c).mem_rel_error); }, Needs::memory},
    {"breakdown/exposed_time", [](In c, double* out) { times(report(c).exposed, out); }, Needs::a_step},
    {"breakdown/total_time", [](In c, double* out) { times(report(c).total, out); }, Needs::a_step},
    {"breakdown/mem", [](In c, double* out) { for (const Bytes part : report(c).memory) *out++ = static_cast<double>(part.value); }, Needs::memory},
    {"breakdown/path_time", [](In c, double* out) { times(report(c).path, out); }, Needs::a_step},
};
// clang-format on

// Every other metric and every other axis fills the column of its name.
constexpr bool has_own(std::string_view column) {
  for (const Filler& filler : own_fillers)
    if (filler.column == column) return true;
  return false;
}
inline constexpr std::size_t plain_axis_count = [] {
  std::size_t count = 0;
  for (const training::AxisInfo& info : training::axis_table) count += has_own(info.name) ? 0 : 1;
  return count;
}();
inline constexpr std::array<training::Axis, plain_axis_count> plain_axes = [] {
  std::array<training::Axis, plain_axis_count> found{};
  std::size_t i = 0;
  for (const training::AxisInfo& info : training::axis_table)
    if (!has_own(info.name)) found[i++] = info.axis;
  return found;
}();
template <std::size_t i>
constexpr Filler axis_filler() {
  constexpr training::AxisInfo info = training::info_of(plain_axes[i]);
  if constexpr (info.kind == training::AxisKind::ratio) {
    return {info.name, [](In c) { return training::member_of(plain_axes[i]).get(config(c)) / 1000.0; }};
  } else {
    return {info.name, [](In c) -> Int { return training::member_of(plain_axes[i]).get(config(c)); }};
  }
}
inline constexpr std::size_t plain_metric_count =
    std::ranges::count_if(sweep::metric_names, [](std::string_view name) { return !has_own(name); });
inline constexpr std::array<std::size_t, plain_metric_count> plain_metrics = [] {
  std::array<std::size_t, plain_metric_count> found{};
  std::size_t i = 0;
  for (std::size_t metric = 0; metric < sweep::metric_names.size(); ++metric)
    if (!has_own(sweep::metric_names[metric])) found[i++] = metric;
  return found;
}();
constexpr Needs needs_of(std::string_view metric) {
  if (metric == "mem_peak") return Needs::memory;
  return metric == "step_time_p50" ? Needs::nothing : Needs::a_step;  // a median needs draws
}
template <std::size_t i>
constexpr Filler metric_filler() {
  constexpr std::string_view name = sweep::metric_names[plain_metrics[i]];
  return {name,
          [](In c) {
            return sweep::metric_table()[plain_metrics[i]].value({config(c), report(c), c.catalog, c.terms});
          },
          needs_of(name)};
}
template <std::size_t... own, std::size_t... metric, std::size_t... axis>
constexpr auto joined(std::index_sequence<own...>, std::index_sequence<metric...>,
                      std::index_sequence<axis...>) {
  return std::array<Filler, sizeof...(own) + sizeof...(metric) + sizeof...(axis)>{
      own_fillers[own]..., metric_filler<metric>()..., axis_filler<axis>()...};
}
inline constexpr auto fillers =
    joined(std::make_index_sequence<std::size(own_fillers)>(), std::make_index_sequence<plain_metric_count>(),
           std::make_index_sequence<plain_axis_count>());

}  // namespace fill

// For the generated table: the place of a column's filler, and that every filler has a column. Indices, not
// pointers: the sanitizers' null checks are not constant expressions.
inline constexpr std::size_t no_filler = std::size(fill::fillers);
constexpr std::size_t filler_of(std::string_view column) {
  std::size_t i = 0;
  while (i < no_filler && fill::fillers[i].column != column) ++i;
  return i;
}
constexpr bool has_filler(std::string_view column) { return filler_of(column) != no_filler; }
constexpr bool all_fillers_are_among(std::span<const std::string_view> columns) {
  if (columns.size() != no_filler) return false;
  for (std::size_t i = 0; i < no_filler; ++i) {
    bool found = false;
    for (const std::string_view column : columns) found = found || column == fill::fillers[i].column;
    if (!found) return false;
  }
  return true;
}

}  // namespace echo::results
