#include "sweep/space/relevance.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace echo::sweep {

Relevance relevance_of(const Program& program, std::int32_t cutoff) {
  Relevance found;
  const std::size_t levels = program.steps.size();
  found.steps.resize(levels);
  found.carry.resize(levels);
  std::vector<bool> wanted(static_cast<std::size_t>(program.slots), false);
  std::vector<std::vector<bool>> read_after(levels);  // [depth][slot]
  for (std::size_t level = levels; level-- > 0;) {    // readers come after writers: go backwards
    read_after[level] = wanted;
    const std::vector<Step>& steps = program.steps[level];
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      const bool test = step->rule < cutoff;
      const bool feeds = step->writes >= 0 && wanted[at(step->writes)];
      if (!test && !feeds) continue;
      if (test) found.last_test = std::max(found.last_test, level);
      for (const std::int32_t slot : step->reads) wanted[at(slot)] = true;
      found.steps[level].insert(found.steps[level].begin(), &*step);
    }
  }
  for (const auto& columns : program.dimensions) {
    found.dimension.push_back(std::any_of(columns.begin(), columns.end(), [&](const ResolvedColumn& column) {
      return wanted[at(column.axis)];
    }));
  }
  std::vector<bool> written(static_cast<std::size_t>(program.slots), false);
  for (std::size_t depth = 0; depth < levels; ++depth) {
    if (depth > 0) {
      for (const ResolvedColumn& column : program.dimensions[depth - 1]) written[at(column.axis)] = true;
    }
    for (const Step* step : found.steps[depth]) {
      if (step->writes >= 0) written[at(step->writes)] = true;
    }
    for (std::size_t slot = 0; slot < written.size(); ++slot) {
      if (written[slot] && read_after[depth][slot])
        found.carry[depth].push_back(static_cast<std::int32_t>(slot));
    }
  }
  return found;
}

void append_carried(const Relevance& relevance, std::size_t depth, const PointState& state,
                    std::string& key) {
  for (const std::int32_t slot : relevance.carry[depth]) {
    const std::size_t index = at(slot);
    const bool defined = state.defined[index] != 0;
    const Scalar value = defined ? state.slot[index] : Scalar{};
    key.push_back(defined ? 'd' : 'u');
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
}

}  // namespace echo::sweep
