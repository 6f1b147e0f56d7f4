// Boost.Serialization of a sweep's spec, non-intrusive. A structured binding names every member: a new one
// does not compile until it is serialised.
#pragma once

#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include "base/plain_archive.hpp"
#include "sweep/spec.hpp"

namespace boost::serialization {

template <class Archive>
void serialize(Archive& archive, echo::sweep::AxisValue& value, unsigned) {
  auto& [number, text] = value;
  archive& number& text;
}

template <class Archive>
void serialize(Archive& archive, echo::sweep::AxisColumn& column, unsigned) {
  auto& [axis, values] = column;
  archive& axis& values;
}

template <class Archive>
void serialize(Archive& archive, echo::sweep::Dimension& dimension, unsigned) {
  auto& [columns] = dimension;
  archive& columns;
}

template <class Archive>
void serialize(Archive& archive, echo::sweep::Rule& rule, unsigned) {
  auto& [kind, name, expression, why] = rule;
  archive& kind& name& expression& why;
}

template <class Archive>
void serialize(Archive& archive, echo::sweep::SubSpace& group, unsigned) {
  auto& [name, dimensions] = group;
  archive& name& dimensions;
}

template <class Archive>
void serialize(Archive& archive, echo::sweep::Limit& limit, unsigned) {
  auto& [name, metric, max, min] = limit;
  archive& name& metric& max& min;
}

template <class Archive>
void serialize(Archive& archive, echo::sweep::Objective& objective, unsigned) {
  auto& [metric, goal] = objective;
  archive& metric& goal;
}

template <class Archive>
void serialize(Archive& archive, echo::sweep::Search& search, unsigned) {
  auto& [strategy, points, top, within, per] = search;
  archive& strategy& points& top& within& per;
}

template <class Archive>
void serialize(Archive& archive, echo::sweep::RunSettings& run, unsigned) {
  auto& [work_budget, time_budget, snapshot_every, max_failures] = run;
  archive& work_budget& time_budget& snapshot_every& max_failures;
}

template <class Archive>
void serialize(Archive& archive, echo::campaign::GpuHourPrice& entry, unsigned) {
  auto& [name, price] = entry;
  archive& name& price;
}

template <class Archive>
void serialize(Archive& archive, echo::campaign::Economics& economics, unsigned) {
  auto& [currency, gpu_hour, electricity, pue, carbon] = economics;
  archive& currency& gpu_hour& electricity& pue& carbon;
}

template <class Archive>
void serialize(Archive& archive, echo::campaign::Reliability& r, unsigned) {
  auto& [preset, gpu_mtbf, node_mtbf, job_mtbf, detection, restart, repair, spares, every, mode,
         mode_is_given, write_bandwidth, node_write_bandwidth, write_time, stall, read_bandwidth] = r;
  archive& preset& gpu_mtbf& node_mtbf& job_mtbf& detection& restart& repair& spares& every& mode&
      mode_is_given& write_bandwidth& node_write_bandwidth& write_time& stall& read_bandwidth;
}

template <class Archive>
void serialize(Archive& archive, echo::campaign::Terms& terms, unsigned) {
  auto& [target_tokens, economics, reliability] = terms;
  archive& target_tokens& economics& reliability;
}

template <class Archive>
void serialize(Archive& archive, echo::simulate::Skew& skew, unsigned) {
  auto& [sigma, draws, seed] = skew;
  archive& sigma& draws& seed;
}

template <class Archive>
void serialize(Archive& archive, echo::sweep::TraceWorkload& workload, unsigned) {
  auto& [trace, format, gpu, times, data_groups, tokens] = workload;
  archive& trace& format& gpu& times& data_groups& tokens;
}

template <class Archive>
void serialize(Archive& archive, echo::sweep::SweepSpec& spec, unsigned) {
  auto& [name, title, output_file, schema, seed, dimensions, groups, rules, limits, objectives, search, run,
         terms, min_fit_chance, batch_in_tokens, skew, slowdown, slowdown_file, contention, packet_budget,
         packet_cache, setting, profiles, workload, what_ifs] = spec;
  archive& name& title& output_file& schema& seed& dimensions& groups& rules& limits& objectives& search& run;
  archive& terms& min_fit_chance& batch_in_tokens& skew& slowdown& slowdown_file& contention& packet_budget&
      packet_cache& setting& profiles& workload& what_ifs;
}

}  // namespace boost::serialization
