// Problem. An error on rows to which a constant was fitted does not predict the error on the next
// publication.
//
// Idea. Few constants were fitted on steps at all: the sustained rate of products (training_rate.cpp), how
// much slower Arm's processors are (processor_times.cpp) and the host times of three frameworks. Everything
// else comes from kernels, collectives, data sheets and source code. So leave a publication out, fit those
// few again, predict it.
//
// A GPU kind whose only steps are the publication's uses the rate of its family (rate_pool.cpp). A host time
// that only this publication shows is replaced by the one measured for the other eager framework.
//
// Neglected: mechanisms were chosen by people who had seen the residuals. Only new publications show how
// much that matters.
#include "calibrate/steps/held_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "accuracy/error_table.hpp"
#include "base/at.hpp"
#include "base/named_table.hpp"
#include "calibrate/steps/practice_report.hpp"
#include "calibrate/steps/processor_times.hpp"
#include "calibrate/steps/step_study.hpp"
#include "calibrate/steps/training_rate.hpp"
#include "config/toml/read_file.hpp"

namespace echo::calibrate {

namespace {

// Host times of frameworks that were derived from one publication, and the framework whose own replaces
// them.
using HostTime = SimTime training::FrameworkSpec::*;
struct FittedHost {
  const char *framework, *source, *stand_in;
  HostTime time;
};
constexpr FittedHost fitted_hosts[] = {
    {"megatron-deepspeed", "vtrain", "nanotron", &training::FrameworkSpec::host_per_kernel},
    {"megatron-deepspeed", "vtrain", "nanotron", &training::FrameworkSpec::host_per_step},
    {"nanotron", "nanotron-playbook", "megatron-deepspeed", &training::FrameworkSpec::host_per_slice},
    {"nanotron", "nanotron-playbook", "megatron-deepspeed", &training::FrameworkSpec::host_per_kernel},
    {"nanotron", "nanotron-playbook", "megatron-deepspeed", &training::FrameworkSpec::host_per_peer},
    {"megatron-bridge", "megatron-bridge", "megatron-lm", &training::FrameworkSpec::host_per_expert},
    {"megatron-core", "megatron-bridge", "megatron-lm", &training::FrameworkSpec::host_per_expert}};

struct HeldOut {
  const config::MeasuredStep* row = nullptr;
  double shipped = 0.0;             // s
  std::optional<StepError> unseen;  // none: refused

  [[nodiscard]] double predicted() const { return to_seconds(unseen->report.step); }
};

void take_back_hosts(StepStudy& study, const std::string& source) {
  const auto shipped = study.steps.catalog.frameworks;
  for (const FittedHost& host : fitted_hosts) {
    if (source != host.source) continue;
    const SimTime time = shipped[at(find_named(shipped, host.stand_in))].*host.time;
    study.steps.catalog.change_framework(host.framework, [&](training::FrameworkSpec& framework) {
      framework.*host.time = time;
      framework.host_measured = false;
    });
  }
}

// What the publications show by themselves of constants that are pooled over them.
struct Observations {
  std::vector<RateObservation> rates, processors;
};

std::vector<RateObservation> without(const std::vector<RateObservation>& seen, const std::string& source) {
  std::vector<RateObservation> others;
  for (const RateObservation& one : seen)
    if (one.publication != source) others.push_back(one);
  return others;
}

void fit_to_others(StepStudy& study, const Observations& seen, const std::string& source) {
  if (const auto others = without(seen.rates, source); others.size() < seen.rates.size())
    set_rates(study, others);
  if (const auto others = without(seen.processors, source); others.size() < seen.processors.size())
    set_processors(study, std::exp(pooled_processors(others).log_factor));
  take_back_hosts(study, source);
}

// `unseen` predicts what the publication has not been fitted on: the study itself, or its stock twin.
void predict_unseen(StepStudy& study, StepStudy& unseen, const StepRows& all, const Observations& seen,
                    const Practices& practices, const std::string& source, ErrorOwners& owners,
                    std::vector<HeldOut>& out) {
  StepRows own;
  for (const config::MeasuredStep* row : all)
    if (row->source == source) own.push_back(row);
  const auto kernels = unseen.calibration.kernels;
  const simulate::Practice practice = unseen.calibration.practice;
  const simulate::Catalog catalog = unseen.steps.catalog;
  const std::size_t first = out.size();
  study.forget_prices();
  for (const config::MeasuredStep* row : own) out.push_back({row, study.predict(*row), {}});
  fit_to_others(unseen, seen, source);
  unseen.calibration.practice = practice_without(practices, source);
  unseen.forget_prices();
  for (std::size_t i = first; i < out.size(); ++i)
    out[i].unseen = step_error(
        unseen, unseen.steps.rows[static_cast<std::size_t>(out[i].row - study.steps.rows.data())], owners);
  unseen.calibration.kernels = kernels;
  unseen.calibration.practice = practice;
  unseen.steps.catalog = catalog;
}

void print_errors(const char* heading, const std::vector<HeldOut>& rows,
                  std::string config::MeasuredStep::*group) {
  std::vector<accuracy::Comparison> shipped, unseen;
  for (const HeldOut& r : rows)
    for (const std::string& name : {r.row->*group, std::string("all")}) {
      shipped.push_back({name, *r.row->step_seconds, r.shipped});
      unseen.push_back({name, *r.row->step_seconds, r.predicted()});
    }
  fmt::print("{:24} rows   shipped median, mean    unseen median, mean, bias\n", heading);
  const auto as_shipped = accuracy::summarise_by_group(shipped);
  for (const auto& [name, error] : accuracy::summarise_by_group(unseen)) {
    const accuracy::ErrorSummary& was = as_shipped.at(name);
    fmt::print("{:24} {:4}  {:7.1f} % {:7.1f} %   {:7.1f} % {:7.1f} % {:+7.1f} %\n", name, error.scored,
               100 * was.median_ape, 100 * was.mean_ape, 100 * error.median_ape, 100 * error.mean_ape,
               100 * error.bias);
  }
}

std::string csv_of(const std::vector<HeldOut>& rows) {
  std::string text = "row,source,stratum,measured,shipped,predicted\n";
  for (const HeldOut& r : rows)
    fmt::format_to(std::back_inserter(text), "{},{},{},{:.6g},{:.6g},{:.6g}\n", r.row->row, r.row->source,
                   r.row->stratum, *r.row->step_seconds, r.shipped, r.predicted());
  return text;
}

// Rows that the stock twin refuses, if it is asked for, are left out.
std::vector<HeldOut> held_out(StepStudy& study, StepStudy* stock) {
  const StepRows all = study.scored();
  std::set<std::string> sources;
  for (const config::MeasuredStep* row : all) sources.insert(row->source);
  std::vector<HeldOut> rows;
  ErrorOwners owners;
  const Practices practices = practices_of(study.steps, study.calibration);
  const Observations seen{observe_rates(study, all), observe_processors(study, all)};
  for (const std::string& source : sources)
    predict_unseen(study, stock != nullptr ? *stock : study, all, seen, practices, source, owners, rows);
  std::erase_if(rows, [](const HeldOut& row) { return !row.unseen; });
  return rows;
}

}  // namespace

std::vector<StepError> unseen_errors(const std::string& table, Facts facts) {
  StepStudy study = read_step_study(table);
  std::optional<StepStudy> stock;
  if (facts == Facts::stock) stock = read_step_study(table, facts);
  std::vector<StepError> out;
  for (HeldOut& row : held_out(study, stock ? &*stock : nullptr)) out.push_back(std::move(*row.unseen));
  return out;
}

int run_held_out(std::span<char*> args) {
  const std::string path = step_option(args, "--out", ""),
                    table = step_option(args, "--table", default_step_table());
  StepStudy study = read_step_study(table);
  std::optional<StepStudy> stock;
  if (std::any_of(args.begin(), args.end(),
                  [](const char* one) { return std::string_view(one) == "--stock"; }))
    stock = read_step_study(table, Facts::stock);
  const std::vector<HeldOut> rows = held_out(study, stock ? &*stock : nullptr);
  print_errors("stratum", rows, &config::MeasuredStep::stratum);
  print_errors("source", rows, &config::MeasuredStep::source);
  if (!path.empty()) config::write_whole_file(path, csv_of(rows));
  return 0;
}

}  // namespace echo::calibrate
