#include "sweep/language/place_steps.hpp"

#include <algorithm>
#include <utility>

#include "base/at.hpp"

namespace echo::sweep {

std::vector<Step> place_steps(Program& program, std::vector<Step> pending) {
  std::vector<bool> known(static_cast<std::size_t>(program.slots), false);
  const auto is_ready = [&known](const Step& step) {
    return std::all_of(step.reads.begin(), step.reads.end(),
                       [&](std::int32_t slot) { return known[at(slot)]; });
  };
  program.steps.resize(program.dimensions.size() + 1);
  for (std::size_t level = 0; level <= program.dimensions.size(); ++level) {
    if (level > 0) {
      for (const ResolvedColumn& column : program.dimensions[level - 1]) known[at(column.axis)] = true;
    }
    for (auto step = pending.begin(); step != pending.end();) {
      if (!is_ready(*step)) {
        ++step;
        continue;
      }
      if (step->writes >= 0) known[at(step->writes)] = true;
      program.steps[level].push_back(std::move(*step));
      pending.erase(step);
      step = pending.begin();  // what it wrote may make an earlier one ready
    }
  }
  return pending;
}

}  // namespace echo::sweep
