#include "profilers/plan_text.hpp"

#include <fmt/core.h>

#include "ops/describe.hpp"

namespace echo::profilers {

std::string schedule_text(const Schedule& schedule) {
  std::string text = fmt::format("{} cells, {} round{}: {:.0f} s\n", schedule.cells.size(), schedule.rounds,
                                 schedule.rounds == 1 ? "" : "s", schedule.seconds);
  if (schedule.left_out > 0)
    text += fmt::format("{} cells have no time: a larger --budget, fewer --kernels or --channels would do\n",
                        schedule.left_out);
  return text;
}

std::string plan_text(std::span<const ops::KernelKey> kernels, std::span<const double> kernel_seconds,
                      const std::vector<CommunicationCase>& cases, const Schedule& schedule) {
  std::string text = fmt::format("{} kernels\n", kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i)
    text += fmt::format("{:10.1f} us  {}\n", kernel_seconds[i] * 1e6, ops::describe(kernels[i]));
  text += fmt::format("each alone, alone again, and beside {} cases\n", cases.size());
  for (const CommunicationCase& c : cases) text += "            " + describe(c) + "\n";
  return text + schedule_text(schedule);
}

}  // namespace echo::profilers
