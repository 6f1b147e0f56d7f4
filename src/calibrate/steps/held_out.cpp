// Problem. An error on rows to which a constant was fitted does not predict the error on the next
// publication.
//
// Idea. Few constants were fitted on steps at all: the sustained rate of products (training_rate.cpp) and
// the host times of two frameworks. Everything else comes from kernels, collectives, data sheets and source
// code. So leave a publication out, fit those few again, predict it.
//
// A GPU kind whose only steps are the publication's uses the rate of the kind of the previous generation. A
// host time that only this publication shows is replaced by the one measured for the other eager framework.
//
// Neglected: mechanisms were chosen by people who had seen the residuals. Only new publications show how
// much that matters.
#include "calibrate/steps/held_out.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "accuracy/error_table.hpp"
#include "base/at.hpp"
#include "base/named_table.hpp"
#include "calibrate/steps/step_study.hpp"
#include "calibrate/steps/training_rate.hpp"
#include "config/toml/read_file.hpp"

namespace echo::calibrate {

namespace {

// Fitted kinds, the one that replaces a kind where a publication has all steps of it, and the kinds that
// were assumed to equal it (their distance to it is kept).
struct FittedKind {
  const char* kernels;
  const char* stand_in;                // null: none
  std::array<const char*, 3> like_it;  // null: no more
};
constexpr FittedKind fitted_kinds[] = {
    {"h100-sxm", nullptr, {"h200-sxm", "h100-sxm-vboost", "h100-sxm-96gb-hbm2e"}},
    {"gb200", "h100-sxm", {"b200-sxm", nullptr, nullptr}}};

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
    {"nanotron", "nanotron-playbook", "megatron-deepspeed", &training::FrameworkSpec::host_per_peer}};

struct HeldOut {
  const config::MeasuredStep* row = nullptr;
  double shipped = 0.0, predicted = 0.0;  // s
};

template <class T>
T& named(std::vector<T>& table, const char* name) {
  return table[at(find_named(table, name))];
}

void refit_rates(StepStudy& study, const StepRows& all, const StepRows& others) {
  auto& kernels = study.calibration.kernels;
  for (const FittedKind& kind : fitted_kinds)
    for (const bool narrow : {false, true}) {
      const SustainedRate rate = sustained_rate(narrow);
      const StepRows seen = rate_rows(study, others, kind.kernels, narrow);
      if (seen.size() == rate_rows(study, all, kind.kernels, narrow).size()) continue;
      kernels::KernelConstants& constants = named(kernels, kind.kernels);
      const double before = 1.0 + constants.*rate;
      if (seen.size() >= fewest_rate_rows)
        constants.*rate = unbiased_rate(study, seen, constants, rate);
      else if (kind.stand_in != nullptr)
        constants.*rate = named(kernels, kind.stand_in).*rate;
      const double change = (1.0 + constants.*rate) / before;
      for (const char* like : kind.like_it)
        if (like != nullptr) named(kernels, like).*rate = change * (1.0 + named(kernels, like).*rate) - 1.0;
    }
}

void take_back_hosts(StepStudy& study, const std::string& source) {
  auto& frameworks = study.steps.catalog.frameworks;
  const auto shipped = frameworks;
  for (const FittedHost& host : fitted_hosts)
    if (source == host.source)
      named(frameworks, host.framework).*host.time =
          shipped[at(find_named(shipped, host.stand_in))].*host.time;
}

void predict_unseen(StepStudy& study, const StepRows& all, const std::string& source,
                    std::vector<HeldOut>& out) {
  StepRows own, others;
  for (const config::MeasuredStep* row : all) (row->source == source ? own : others).push_back(row);
  const auto kernels = study.calibration.kernels;
  const auto frameworks = study.steps.catalog.frameworks;
  const std::size_t first = out.size();
  study.forget_prices();
  for (const config::MeasuredStep* row : own) out.push_back({row, study.predict(*row), 0.0});
  refit_rates(study, all, others);
  take_back_hosts(study, source);
  study.forget_prices();
  for (std::size_t i = first; i < out.size(); ++i) out[i].predicted = study.predict(*out[i].row);
  study.calibration.kernels = kernels;
  study.steps.catalog.frameworks = frameworks;
}

void print_errors(const char* heading, const std::vector<HeldOut>& rows,
                  std::string config::MeasuredStep::*group) {
  std::vector<accuracy::Comparison> shipped, unseen;
  for (const HeldOut& r : rows)
    for (const std::string& name : {r.row->*group, std::string("all")}) {
      shipped.push_back({name, *r.row->step_seconds, r.shipped});
      unseen.push_back({name, *r.row->step_seconds, r.predicted});
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

void write_rows(const std::string& path, const std::vector<HeldOut>& rows) {
  std::string text = "row,source,stratum,measured,shipped,predicted\n";
  for (const HeldOut& r : rows)
    fmt::format_to(std::back_inserter(text), "{},{},{},{:.6g},{:.6g},{:.6g}\n", r.row->row, r.row->source,
                   r.row->stratum, *r.row->step_seconds, r.shipped, r.predicted);
  config::write_whole_file(path, text);
}

}  // namespace

int run_held_out(std::span<char*> args) {
  const std::string path = step_option(args, "--out", "");
  StepStudy study = read_step_study(step_option(args, "--table", default_step_table()));
  const StepRows all = study.scored();
  std::set<std::string> sources;
  for (const config::MeasuredStep* row : all) sources.insert(row->source);
  std::vector<HeldOut> rows;
  for (const std::string& source : sources) predict_unseen(study, all, source, rows);
  print_errors("stratum", rows, &config::MeasuredStep::stratum);
  print_errors("source", rows, &config::MeasuredStep::source);
  if (!path.empty()) write_rows(path, rows);
  return 0;
}

}  // namespace echo::calibrate
