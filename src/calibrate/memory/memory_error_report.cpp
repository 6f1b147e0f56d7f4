#include "calibrate/memory/memory_error_report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string_view>

#include "base/student_t.hpp"
#include "calibrate/memory/memory_error_fit.hpp"
#include "calibrate/steps/step_study.hpp"
#include "config/catalog/fitted/error_file.hpp"

namespace echo::calibrate {

namespace {

using simulate::ErrorModel;

// Prints; returns the mean over publications of the share of runs below the bound of 90 %.
double print(const std::vector<accuracy::BandedError>& unseen, double widening) {
  const double band = student_t4_quantile(0.9) * widening;
  std::map<std::string, double> below, bias;
  const auto covered = accuracy::coverage_by_group(unseen, band);
  for (const accuracy::BandedError& one : unseen) {
    const double rows = covered.at(one.group).rows;
    below[one.group] += (one.error <= band * one.band ? 1.0 : 0.0) / rows;
    bias[one.group] += one.error / rows;
  }
  fmt::print("\n{:24} {:>5} {:>9} {:>10} {:>12} {:>8}\n", "publication, unseen", "rows", "measured",
             "80 % band", "below 90 %", "band");
  double inside = 0.0, under = 0.0;
  for (const auto& [name, c] : covered) {
    fmt::print("{:24} {:>5} {:>+7.1f} % {:>8.0f} % {:>10.0f} % {:>6.1f} %\n", name, c.rows, 100 * bias[name],
               100 * c.covered, 100 * below[name], 100 * c.median_band);
    inside += c.covered / static_cast<double>(covered.size());
    under += below[name] / static_cast<double>(covered.size());
  }
  fmt::print("{:24} {:>5} {:>9} {:>8.0f} % {:>10.0f} %\n", "mean of publications", "", "", 100 * inside,
             100 * under);
  fmt::print(
      "measured: mean of ln(measured / predicted); runs inside the band of 80 %, and below its upper end, "
      "which "
      "90 % should be\n");
  return under;
}

}  // namespace

int run_memory_errors(std::span<char*> args) {
  bool check = false;
  for (const char* argument : args) check |= std::string_view(argument) == "--check";
  const std::string file = step_option(args, "--table", default_step_table());
  if (!std::filesystem::exists(file))
    throw UserError("the measured steps are not at " + file, "set ECHO_DATA_DIR to the folder of the tables",
                    3);
  const auto errors = memory_errors(CsvTable::read_file(file), config::read_catalog());
  if (errors.empty())
    throw UserError("no run of " + file + " has a figure of memory that can be scored",
                    "give peak_mem_gib and mem_kind");
  const ErrorModel prior;
  const auto unseen = unseen_memory_errors(errors, prior);
  const double widening = memory_widening(unseen);
  ErrorModel model = widened_memory_errors(errors, prior), before = prior;
  fmt::print("{:24} {:>8} {:>8}\n", "scale", "prior", "fitted");
  for (const config::ErrorField& field : config::error_fields())
    if (std::string_view(field.name).starts_with("memory_"))
      fmt::print("{:24} {:>8.3f} {:>8.3f}\n", field.name, field.of(before), field.of(model));
  fmt::print("of the fitted, a factor of {:.2f} widens for publications not seen\n", widening);
  const double bound = print(unseen, widening);
  return check && bound < 0.85 ? 1 : 0;
}

}  // namespace echo::calibrate
