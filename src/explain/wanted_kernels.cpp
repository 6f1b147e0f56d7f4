#include "explain/wanted_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/at.hpp"
#include "base/error.hpp"
#include "config/sweep_file/sweep_file.hpp"
#include "explain/chosen_row.hpp"
#include "explain/profile_inputs.hpp"
#include "ops/kernel_fields.hpp"
#include "query/rank/ranking.hpp"
#include "simulate/simulate.hpp"
#include "sweep/space/design_space.hpp"

namespace echo::explain {

WantedKernels gaps_of_result(const std::string& path, std::int64_t points,
                             const std::vector<std::string>& preset_paths) {
  const results::ResultFile file(path);
  const auto groups =
      query::ranked(file, {.by = query::ranking_objective(file), .count = 1, .per = "", .where = ""});
  if (groups.empty() || groups.front().rows.empty())
    throw UserError("\"" + path + "\" has no feasible row",
                    "echo-sweep top lists the reasons: echo-sweep top " + path);
  ConfigAgain again = config_again(file, file.pick(groups.front().rows), preset_paths);
  const auto best = best_configs(file, points, again.known.catalog);
  if (best.empty())
    throw UserError("the rows of \"" + path + "\" cannot be simulated again: " + again.problem,
                    "pass the presets it was made with by --preset-path");
  WantedKernels out{.kernels = kernel_gaps(best, again.known.catalog, again.known.calibration),
                    .points = best.size(),
                    .problem = again.problem};
  std::erase_if(out.kernels, [](const KernelGap& gap) { return gap.grade == ops::Grade::measured; });
  return out;
}

namespace {

// The configs that can run; `why_not`: the reason for the first that cannot.
std::vector<training::TrainingConfig> runnable(const sweep::DesignSpace& space, std::int64_t count,
                                               const config::SweepInputs& read, std::string& why_not) {
  std::vector<training::TrainingConfig> configs;
  simulate::Workspace workspace;
  sweep::PointCursor cursor(space);
  for (std::int64_t i = 0; i < count; ++i) {
    cursor.go_to(static_cast<sweep::PointIndex>(static_cast<double>(i) * static_cast<double>(space.size()) /
                                                static_cast<double>(count)));
    const training::TrainingConfig config = cursor.config();
    const simulate::StepReport report = simulate::simulate(config, read.catalog, read.calibration, workspace);
    if (report.status == training::Status::ok)
      configs.push_back(config);
    else if (why_not.empty())
      why_not = report.reason == training::Reason::memory
                    ? std::string_view("it does not fit into memory")
                    : simulate::why_unsupported(config, read.catalog).text;
  }
  return configs;
}

}  // namespace

WantedKernels kernels_of_sweep(const SweepChoice& choice, std::int64_t points) {
  config::SweepInputs read = config::read_sweep(choice.file, choice.preset_paths, choice.sets);
  const std::string measured = read_profiles(read, choice.profiles);
  price_by(measured, read);
  const sweep::DesignSpace space(read.spec, read.catalog);
  if (space.size() == 0)
    throw UserError("\"" + choice.file + "\" has no point",
                    "its rules remove all points; count them by echo-sweep plan " + choice.file);
  const std::int64_t count = std::min(points, static_cast<std::int64_t>(space.size()));
  std::string why_not;
  const auto configs = runnable(space, count, read, why_not);
  if (configs.empty())
    throw UserError(
        fmt::format("none of {} points of \"{}\" can run; the first: {}", count, choice.file, why_not),
        "echo-sweep run gives the reasons; try other degrees with --set, or more --points");
  return {.kernels = kernel_gaps(configs, read.catalog, read.calibration),
          .points = configs.size(),
          .problem = ""};
}

std::string wanted_csv(const std::vector<KernelGap>& kernels) {
  std::string text = "gpu";
  for (const ops::KernelField& field : ops::kernel_fields()) text += "," + std::string(field.name);
  text += ",share,error,price,points\n";
  for (const KernelGap& gap : kernels) {
    text += gap.gpu;
    for (const ops::KernelField& field : ops::kernel_fields()) {
      const std::int32_t value = field.get(gap.key);
      text += field.names.empty() ? fmt::format(",{}", value) : fmt::format(",{}", field.names[at(value)]);
    }
    text += fmt::format(",{:.6g},{:.6g},{},{}\n", gap.share, gap.error, ops::grade_names[at(gap.grade)],
                        gap.points);
  }
  return text;
}

}  // namespace echo::explain
