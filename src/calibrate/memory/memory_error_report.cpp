#include "calibrate/memory/memory_error_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>

#include "base/student_t.hpp"
#include "calibrate/memory/memory_error_fit.hpp"
#include "calibrate/steps/step_study.hpp"
#include "config/catalog/error_file.hpp"

namespace echo::calibrate {

namespace {

using simulate::ErrorModel;

struct Unseen {
  int rows = 0, in_band = 0, below_bound = 0;  // of 80 %, either side; of 90 %, above
  double bias = 0.0, scale = 0.0;              // sums
  [[nodiscard]] double share(int some) const { return static_cast<double>(some) / rows; }
};

void add(const ErrorModel& model, const MemoryError& one, Unseen& out) {
  const double scale = simulate::memory_scale(model, one.holds), bound = student_t4_quantile(0.9) * scale;
  ++out.rows, out.bias += one.error, out.scale += scale;
  out.in_band += std::abs(one.error) <= bound ? 1 : 0;
  out.below_bound += one.error <= bound ? 1 : 0;
}

std::map<std::string, Unseen> leave_each_out(const std::vector<MemoryError>& errors,
                                             const ErrorModel& prior) {
  std::map<std::string, Unseen> out;
  for (const MemoryError& one : errors) out[one.publication];
  for (auto& [name, unseen] : out) {
    std::vector<MemoryError> others = errors;
    std::erase_if(others, [&name](const MemoryError& one) { return one.publication == name; });
    const ErrorModel model = others.empty() ? prior : fit_memory_errors(others, prior);
    for (const MemoryError& one : errors)
      if (one.publication == name) add(model, one, unseen);
  }
  return out;
}

// Prints; returns the mean over publications of the share below the bound.
double print(const std::map<std::string, Unseen>& unseen) {
  fmt::print("\n{:24} {:>5} {:>9} {:>8} {:>10} {:>12}\n", "publication, unseen", "rows", "measured", "scale",
             "80 % band", "90 % bound");
  double band = 0.0, bound = 0.0;
  for (const auto& [name, one] : unseen) {
    fmt::print("{:24} {:>5} {:>+7.1f} % {:>6.1f} % {:>8.0f} % {:>10.0f} %\n", name, one.rows,
               100 * one.bias / one.rows, 100 * one.scale / one.rows, 100 * one.share(one.in_band),
               100 * one.share(one.below_bound));
    band += one.share(one.in_band) / static_cast<double>(unseen.size());
    bound += one.share(one.below_bound) / static_cast<double>(unseen.size());
  }
  fmt::print("{:24} {:>5} {:>9} {:>8} {:>8.0f} % {:>10.0f} %\n", "mean of publications", "", "", "",
             100 * band, 100 * bound);
  fmt::print(
      "measured: mean of ln(measured / predicted); the band and the bound of publications that the fit has "
      "not seen: runs inside, runs below\n");
  return bound;
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
  ErrorModel model = fit_memory_errors(errors, prior), before = prior;
  fmt::print("{:24} {:>8} {:>8}\n", "scale", "prior", "fitted");
  for (const config::ErrorField& field : config::error_fields())
    if (std::string_view(field.name).starts_with("memory_"))
      fmt::print("{:24} {:>8.3f} {:>8.3f}\n", field.name, field.of(before), field.of(model));
  const double bound = print(leave_each_out(errors, prior));
  return check && bound < 0.85 ? 1 : 0;
}

}  // namespace echo::calibrate
