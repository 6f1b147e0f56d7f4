#include "explain/row_settings.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "base/at.hpp"
#include "config/sweep_file/workload_reader.hpp"

namespace echo::explain {

namespace {

template <class Enum, std::size_t count>
std::string word(Enum value, const std::array<std::string_view, count>& names) {
  return std::string(names.at(at(value)));
}

template <class Enum, std::size_t count>
Enum value(const char* attribute, const std::string& text, const std::array<std::string_view, count>& names,
           std::string& problem) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end())
    problem = std::string("this version of the program knows no ") + attribute + " \"" + text + "\"";
  return static_cast<Enum>(found == names.end() ? 0 : found - names.begin());
}

// Schema 1.0 to 1.6. A step that costs no slowdown had none, or nothing slowed it; either way it is the same
// step. The same holds for collectives that share links; the bandwidth that flows leave them gives another
// price, and has to be stated.
sweep::SweepSpec settings_of_older_file(const std::string& trace, const std::string& resolved_toml,
                                        const results::Table& table, std::string& problem) {
  constexpr std::int64_t row = 0;
  const auto says = [&](const char* text) { return resolved_toml.find(text) != std::string::npos; };
  const bool shares = table.find("step_time_no_contention") != nullptr;
  const double apart = table.number(shares ? "step_time_no_contention" : "step_time", row);
  sweep::SweepSpec spec;
  if (apart == table.number("step_time_no_slowdown", row)) spec.slowdown = sweep::SlowdownModel::off;
  if (says("contention = 'flow'") || says("contention = \"flow\""))
    spec.contention = simulate::Contention::flow;
  else if (!shares || table.number("step_time", row) == apart)
    spec.contention = simulate::Contention::off;
  if (trace.empty()) return spec;
  const auto workload = config::workload_in(resolved_toml, trace);
  if (workload)
    spec.workload = *workload;
  else
    problem = "its sweep has no [workload]";
  return spec;
}

}  // namespace

results::RowSettings row_settings(const sweep::SweepSpec& spec) {
  results::RowSettings settings{.slowdown = word(spec.slowdown, sweep::slowdown_model_names),
                                .contention = word(spec.contention, simulate::contention_names),
                                .setting = word(spec.setting, simulate::setting_names),
                                .skew_sigma = spec.skew.sigma,
                                .skew_draws = spec.skew.draws};
  for (const std::string& one : spec.what_ifs)
    settings.what_if += (settings.what_if.empty() ? "" : "; ") + one;
  if (spec.workload.trace.empty()) return settings;
  settings.workload_format = spec.workload.format;
  settings.workload_gpu = spec.workload.gpu;
  settings.workload_times = word(spec.workload.times, sweep::trace_times_names);
  for (const std::string& group : spec.workload.data_groups)
    settings.workload_data_groups += (settings.workload_data_groups.empty() ? "" : "\n") + group;
  settings.workload_tokens = spec.workload.tokens;
  return settings;
}

sweep::SweepSpec settings_again(const results::RowSettings& settings, const std::string& trace,
                                const std::string& resolved_toml, const results::Table& table,
                                std::string& problem) {
  if (settings.slowdown.empty()) return settings_of_older_file(trace, resolved_toml, table, problem);
  sweep::SweepSpec spec;
  spec.slowdown =
      value<sweep::SlowdownModel>("slowdown", settings.slowdown, sweep::slowdown_model_names, problem);
  spec.contention =
      value<simulate::Contention>("contention", settings.contention, simulate::contention_names, problem);
  spec.setting = value<simulate::Setting>("setting", settings.setting, simulate::setting_names, problem);
  spec.skew.sigma = settings.skew_sigma;
  spec.skew.draws = static_cast<std::int32_t>(settings.skew_draws);
  if (trace.empty()) return spec;
  spec.workload = {.trace = trace,
                   .format = settings.workload_format,
                   .gpu = settings.workload_gpu,
                   .tokens = settings.workload_tokens};
  spec.workload.times =
      value<sweep::TraceTimes>("workload_times", settings.workload_times, sweep::trace_times_names, problem);
  std::istringstream groups(settings.workload_data_groups);
  for (std::string group; std::getline(groups, group);) spec.workload.data_groups.push_back(group);
  return spec;
}

}  // namespace echo::explain
