#include "profilers/kernels/profile_text.hpp"

#include <fmt/core.h>

#include "ops/describe.hpp"
#include "profilers/kernels/duration_guess.hpp"
#include "profilers/kernels/kernel_mechanism.hpp"
#include "profilers/overlap/overlap_schedule.hpp"

namespace echo::profilers {

namespace {

constexpr std::size_t few = 60;
constexpr std::int32_t launches_of_probe = 8;

// Planning, code loading, and the pauses of the probe.
double seconds_to_prepare(const ops::KernelKey& key) {
  switch (mechanism_of(key)) {
    case Mechanism::attention:
      return 1.0;
    case Mechanism::gemm:
      return 0.05;
    case Mechanism::row:
    case Mechanism::stream:
    case Mechanism::none:
      break;
  }
  return 0.03;
}

std::string family_of(const ops::KernelKey& key) {
  std::string text = std::string(ops::name_of(key.kind)) + " " +
                     std::string(machine::precision_names[static_cast<std::size_t>(key.precision)]);
  if (key.kind == ops::KernelKind::gemm)
    text += " " + std::string(ops::gemm_layout_names[static_cast<std::size_t>(key.layout)]);
  return text + (key.fp32_accumulate ? " added in fp32" : "");
}

std::string reasons_text(const char* head, const std::map<std::string, std::int64_t>& reasons) {
  std::string text;
  for (const auto& [why, count] : reasons) text += fmt::format("  {:<9}{:>6}  {}\n", head, count, why);
  return text;
}

}  // namespace

double guess_measuring_seconds(const ops::KernelKey& key, std::int32_t trains) {
  const double each = guess_seconds(key), train = each * launches_in_train(each, 1);
  return seconds_to_prepare(key) + each * launches_of_probe + trains * (train + seconds_between_cells);
}

std::string plan_text(const ChosenKernels& chosen, std::int32_t trains) {
  std::map<std::string, std::pair<std::int64_t, double>> families;
  double all = 0.0;
  for (const ops::KernelKey& key : chosen.kernels) {
    const double seconds = guess_measuring_seconds(key, trains);
    auto& [count, sum] = families[family_of(key)];
    ++count;
    sum += seconds;
    all += seconds;
  }
  std::string text;
  if (chosen.kernels.size() <= few) {
    for (const ops::KernelKey& key : chosen.kernels)
      text += fmt::format("{:10.1f} us  {}\n", guess_seconds(key) * 1e6, ops::describe(key));
  } else {
    for (const auto& [family, total] : families)
      text += fmt::format("{:7}  {:<40}{:7.0f} s\n", total.first, family, total.second);
  }
  text += reasons_text("left out", chosen.left_out);
  return text + fmt::format("{} kernels, {} trains each: {:.0f} s\n", chosen.kernels.size(), trains, all);
}

std::string outcome_text(const MeasuringOutcome& outcome) {
  std::string text = reasons_text("failed", outcome.failed);
  if (outcome.gave_up) text += "measuring stopped: the GPU no longer responds\n";
  return text + fmt::format("{} kernels measured, {} not reached\n", outcome.measured, outcome.not_reached);
}

}  // namespace echo::profilers
