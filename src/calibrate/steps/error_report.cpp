#include "calibrate/steps/error_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "calibrate/memory/memory_error_fit.hpp"
#include "calibrate/steps/error_fit.hpp"
#include "calibrate/steps/error_widening.hpp"
#include "calibrate/steps/held_out.hpp"
#include "calibrate/steps/step_study.hpp"
#include "config/catalog/fitted/error_file.hpp"
#include "config/toml/read_file.hpp"
#include "simulate/report/error_bands.hpp"

namespace echo::calibrate {

namespace {

constexpr const char* fit_date = "2026-11-29";

struct Request {
  std::string table, out, runs;
  bool check = false;
};

Request request_of(std::span<char*> args) {
  Request out;
  out.table = default_step_table();
  std::size_t next = 0;
  while (next < args.size()) {
    const std::string_view name = args[next++];
    if (name == "--check") {
      out.check = true;
      continue;
    }
    std::string* const value = name == "--table"  ? &out.table
                               : name == "--out"  ? &out.out
                               : name == "--runs" ? &out.runs
                                                  : nullptr;
    if (value == nullptr || next == args.size())
      throw UserError("echo-calibrate errors does not know " + std::string(name),
                      "echo-calibrate errors [--table FILE] [--out FILE] [--runs FILE] [--check]", 2);
    *value = args[next++];
  }
  return out;
}

// Predictions of constants that had not seen a run's publication: as the publication describes the run, and
// as the framework comes, without what it says beyond the table.
struct Errors {
  std::vector<StepError> stated, unstated;
};

simulate::ErrorModel fit(const Errors& errors, const simulate::ErrorModel& prior) {
  return fit_unstated(errors.unstated, fit_errors(errors.stated, prior));
}

std::vector<StepError> of_publication(const std::vector<StepError>& errors, const std::string& name,
                                      bool is) {
  std::vector<StepError> out;
  for (const StepError& one : errors)
    if ((one.publication == name) == is) out.push_back(one);
  return out;
}

std::string causes_of(const StepError& one, const simulate::ErrorModel& model) {
  std::string text = fmt::format("{}", one.evidence.untried);
  for (const double c : simulate::contributions(model, one.evidence, one.report))
    fmt::format_to(std::back_inserter(text), ",{:.4g}", c);
  return text;
}

// Runs within one standard deviation and within the band of 80 %, of publications that the fit did not see.
struct Unseen {
  std::vector<accuracy::BandedError> one_sigma, p90;
  std::vector<std::string> rows;      // their names
  std::vector<std::string> by_cause;  // their untried choices' bits, and contributions by ErrorSource

  void add(const std::vector<StepError>& errors, const simulate::ErrorModel& model) {
    const auto runs = banded(errors, model);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      one_sigma.push_back(runs[i]);
      p90.push_back({runs[i].group, runs[i].error, model.p90 * runs[i].band});
      rows.push_back(errors[i].row);
      by_cause.push_back(causes_of(errors[i], model));
    }
  }
};

struct Coverages {
  Unseen stated, unstated;
  Widening widening;
};

Coverages leave_each_out(const Errors& errors, const simulate::ErrorModel& prior) {
  std::set<std::string> names;
  for (const StepError& one : errors.stated) names.insert(one.publication);
  std::vector<LeftOut> left_out;
  for (const std::string& name : names) {
    const Errors others{of_publication(errors.stated, name, false),
                        of_publication(errors.unstated, name, false)};
    if (others.stated.empty()) continue;
    left_out.push_back({of_publication(errors.stated, name, true),
                        of_publication(errors.unstated, name, true), fit(others, prior)});
  }
  Coverages out{.widening = widening_of(left_out)};
  for (LeftOut& one : left_out) {
    widen(one.model, out.widening);
    out.stated.add(one.stated, one.model);
    out.unstated.add(one.unstated, one.model);
  }
  return out;
}

void print(const Unseen& unseen, const char* heading) {
  fmt::print("\n{:24} {:>5} {:>8} {:>8} {:>9} {:>9} {:>9}\n", heading, "rows", "1 sigma", "80 %", "band",
             "shift", "spread");
  const auto one = accuracy::coverage_by_group(unseen.one_sigma),
             p90 = accuracy::coverage_by_group(unseen.p90);
  double mean = 0.0;
  for (const auto& [name, c] : p90) {
    fmt::print("{:24} {:>5} {:>6.0f} % {:>6.0f} % {:>7.1f} % {:>+7.1f} % {:>7.1f} %\n", name, c.rows,
               100 * one.at(name).covered, 100 * c.covered, 100 * c.median_band, 100 * c.shift,
               100 * c.spread);
    mean += c.covered / static_cast<double>(p90.size());
  }
  const auto all = accuracy::coverage(unseen.p90);
  fmt::print("{:24} {:>5} {:>6.1f} % {:>6.1f} % {:>7.1f} %\n", "all rows", all.rows,
             100 * accuracy::coverage(unseen.one_sigma).covered, 100 * all.covered, 100 * all.median_band);
  fmt::print("{:24} {:>5} {:>8} {:>6.1f} %\n", "mean of publications", "", "", 100 * mean);
}

void add_rows(const Unseen& unseen, const char* settings, std::string& text) {
  for (std::size_t i = 0; i < unseen.rows.size(); ++i)
    fmt::format_to(std::back_inserter(text), "{},{},{},{:.6g},{:.6g},{}\n", unseen.rows[i],
                   unseen.p90[i].group, settings, unseen.p90[i].error, unseen.p90[i].band,
                   unseen.by_cause[i]);
}

std::string csv_of(const Coverages& unseen) {
  std::string text = "row,source,settings,error,band,untried";  // errors of the logarithm of the step
  for (const std::string_view name : error_source_names) text += fmt::format(",{}", name);
  text += '\n';
  add_rows(unseen.stated, "stated", text);
  add_rows(unseen.unstated, "assumed", text);
  return text;
}

// Whether bands are wide enough where choices are untried: the same runs by their number.
void print_by_untried(const std::vector<StepError>& errors, const simulate::ErrorModel& model) {
  auto rows = banded(errors, model);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto untried = std::popcount(static_cast<std::uint32_t>(errors[i].evidence.untried));
    rows[i].group = untried == 0 ? "none" : untried == 1 ? "one" : "two or more";
    rows[i].band *= model.p90;
  }
  fmt::print("\n{:24} {:>5} {:>8} {:>9}\n", "untried choices, seen", "rows", "80 %", "band");
  for (const auto& [name, c] : accuracy::coverage_by_group(rows))
    fmt::print("{:24} {:>5} {:>6.0f} % {:>7.1f} %\n", name, c.rows, 100 * c.covered, 100 * c.median_band);
}

// Close enough to 80 %, given that every publication differs from the others.
bool holds(const Unseen& unseen) {
  const double covered = accuracy::coverage(unseen.p90).covered;
  const bool is_good = covered >= 0.75 && covered <= 0.85;
  if (!is_good) fmt::print("the 80 % bands contain {:.1f} % of unseen runs, not 75 to 85 %\n", 100 * covered);
  return is_good;
}

void write(const std::string& path, const std::vector<StepError>& errors, const Coverages& unseen,
           const simulate::ErrorModel& model) {
  std::vector<config::ErrorFileText::About> about;
  simulate::ErrorModel prior;
  for (const config::ErrorField& field : config::error_fields()) {
    const std::string_view name = field.name;
    if (about.size() < fitted_count || name == "p90" || name.starts_with("memory_"))
      about.push_back({fmt::format("fitted, from a prior of {:.3g}", field.of(prior)), "measured"});
    else if (name == "unmeasured_host")
      about.push_back(
          {"two of the published times of a call, 60 to 140 us (frameworks/*.toml), differ by a "
           "factor of 1.6; scaled until steps of hosts left out are covered",
           "measured"});
    else
      about.push_back({"an order of magnitude", "assumed"});
  }
  std::set<std::string> names;
  for (const StepError& one : errors) names.insert(one.publication);
  config::write_whole_file(
      path, config::error_file_text(
                {.source = fmt::format("the errors of {} published training steps of {} publications",
                                       errors.size(), names.size()),
                 .date = fit_date,
                 .model = model,
                 .about = about,
                 .figures = {{"rows", static_cast<double>(errors.size())},
                             {"publications", static_cast<double>(names.size())},
                             {"unseen_within_one_sigma", accuracy::coverage(unseen.stated.one_sigma).covered},
                             {"unseen_within_80_percent_band", accuracy::coverage(unseen.stated.p90).covered},
                             {"unseen_and_assumed_within_80_percent_band",
                              accuracy::coverage(unseen.unstated.p90).covered}}}));
}

}  // namespace

int run_errors(std::span<char*> args) {
  const Request request = request_of(args);
  if (!std::filesystem::exists(request.table))
    throw UserError("the measured steps are not at " + request.table,
                    "set ECHO_DATA_DIR to the folder of the tables", 3);
  const Errors errors{unseen_errors(request.table, Facts::published),
                      unseen_errors(request.table, Facts::stock)};
  if (errors.stated.empty())
    throw UserError("no run of " + request.table + " can be scored",
                    "see echo-sweep validate for the reasons");
  const simulate::ErrorModel prior;
  const Coverages unseen = leave_each_out(errors, prior);
  simulate::ErrorModel model = fit(errors, prior);
  widen(model, unseen.widening);
  if (const auto memory = memory_errors(CsvTable::read_file(request.table), config::read_catalog());
      !memory.empty())
    model = widened_memory_errors(memory, model);
  fmt::print("{:24} {:>8} {:>8}\n", "standard deviation", "prior", "fitted");
  simulate::ErrorModel before = prior;
  for (const config::ErrorField& field : config::error_fields())
    fmt::print("{:24} {:>8.3f} {:>8.3f}\n", field.name, field.of(before), field.of(model));
  print(unseen.stated, "unseen, as described");
  print(unseen.unstated, "unseen, as it comes");
  print_by_untried(errors.stated, model);
  if (!request.runs.empty()) config::write_whole_file(request.runs, csv_of(unseen));
  if (!request.out.empty()) write(request.out, errors.stated, unseen, model);
  return request.check && !holds(unseen.unstated) ? 1 : 0;
}

}  // namespace echo::calibrate
