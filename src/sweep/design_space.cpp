// Searching the space.
// Problem: a sweep crosses to millions or billions of combinations, of which rules leave a few per cent;
// `plan` must say exactly how many each rule removes, first failure in file order, and a worker must find
// point i quickly. Idea: depth-first over the dimensions, testing every rule at the first depth where it can
// be told. Once rule r has failed, only rules before r can still change which rule gets the blame: below that
// node the search goes on with those alone, multiplies over dimensions none of them reads, and ends when none
// is left. The cost is that of the combinations the early rules need, not of the raw space, and the counts
// are exact. Survivors are kept as raw indices (8 bytes a point); at() decodes one and fills it again.
#include "sweep/design_space.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "base/contract.hpp"
#include "base/error.hpp"
#include "sweep/config_id.hpp"

namespace echo::sweep {

// Which steps and dimensions still matter while only rules before `cutoff` are of interest.
struct Relevance {
  std::vector<std::vector<const Step*>> steps;  // [level]
  std::vector<bool> dimension;
  std::size_t last_test = 0;  // level of the last rule of interest; nothing to learn beyond it
};

class SpaceSearch {
 public:
  explicit SpaceSearch(DesignSpace& space)
      : space_(space), program_(space.program_), state_(space.program_), removed_(program_.rules.size(), 0) {
    relevance_.resize(program_.rules.size() + 1);
    below_.assign(program_.dimensions.size() + 1, 1);
    for (std::size_t d = program_.dimensions.size(); d-- > 0;) below_[d] = below_[d + 1] * size_of(d);
  }

  void run() {
    const std::int32_t everything = static_cast<std::int32_t>(program_.rules.size());
    descend(0, 0, run_level(0, everything), 1);
    for (std::size_t r = 0; r < removed_.size(); ++r) {
      if (program_.rules[r].implied && removed_[r] == 0) continue;
      space_.waterfall_.push_back({program_.rules[r].name, removed_[r]});
    }
  }

 private:
  [[nodiscard]] std::int64_t size_of(std::size_t dimension) const {
    return static_cast<std::int64_t>(program_.dimensions[dimension].front().values.size());
  }

  // A cutoff equal to the number of rules means none has failed: everything matters.
  const Relevance& relevance(std::int32_t cutoff) {
    auto& known = relevance_[static_cast<std::size_t>(cutoff)];
    if (!known) known = relevance_of(cutoff);
    return *known;
  }
  Relevance relevance_of(std::int32_t cutoff) const {
    Relevance found;
    const bool all = cutoff == static_cast<std::int32_t>(program_.rules.size());
    found.steps.resize(program_.steps.size());
    std::vector<bool> wanted(static_cast<std::size_t>(program_.slots), false);
    for (std::size_t level = program_.steps.size();
         level-- > 0;) {  // readers come after writers: go backwards
      const std::vector<Step>& steps = program_.steps[level];
      for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        const bool test = step->rule < cutoff;
        const bool feeds = step->writes >= 0 && wanted[static_cast<std::size_t>(step->writes)];
        if (!all && !test && !feeds) continue;
        if (test) found.last_test = std::max(found.last_test, level);
        for (const std::int32_t slot : step->reads) wanted[static_cast<std::size_t>(slot)] = true;
        found.steps[level].insert(found.steps[level].begin(), &*step);
      }
    }
    for (const auto& columns : program_.dimensions) {
      found.dimension.push_back(
          std::any_of(columns.begin(), columns.end(),
                      [&](const ResolvedColumn& column) { return all || wanted[at(column.axis)]; }));
    }
    return found;
  }

  // Runs what matters at `level`; the earliest rule that has failed so far.
  std::int32_t run_level(std::size_t level, std::int32_t cutoff) {
    std::int32_t first = cutoff;
    for (const Step* step : relevance(cutoff).steps[level]) {
      if (!run_step(program_, *space_.catalog_, *step, state_)) first = std::min(first, step->rule);
    }
    return first;
  }

  // Dimensions before `depth` are fixed as `raw` says and their steps have run; `weight` combinations stand
  // for each one below.
  void descend(std::size_t depth, std::int64_t raw, std::int32_t cutoff, std::int64_t weight) {
    const bool failed = cutoff < static_cast<std::int32_t>(program_.rules.size());
    if (failed && relevance(cutoff).last_test <= depth) {
      removed_[static_cast<std::size_t>(cutoff)] += weight * below_[depth];
      return;
    }
    if (depth == program_.dimensions.size()) return accept(raw);
    if (!relevance(cutoff).dimension[depth]) return descend(depth + 1, raw, cutoff, weight * size_of(depth));
    for (std::int64_t digit = 0; digit < size_of(depth); ++digit) {
      assign(program_, depth, digit, state_);
      const std::int32_t first = run_level(depth + 1, cutoff);
      descend(depth + 1, raw * size_of(depth) + digit, first, weight);
    }
  }

  void accept(std::int64_t raw) {
    const std::uint64_t id = config_id_of(config_of(state_, *space_.catalog_), *space_.catalog_);
    if (seen_.insert(id).second) {
      space_.survivors_.push_back(raw);
    } else {
      ++space_.duplicates_;
    }
  }

  DesignSpace& space_;
  const Program& program_;
  PointState state_;
  std::vector<std::int64_t> removed_, below_;
  std::vector<std::optional<Relevance>> relevance_;
  std::unordered_set<std::uint64_t> seen_;  // looked up, never iterated
};

DesignSpace::DesignSpace(const SweepSpec& spec, const simulate::Catalog& catalog) : catalog_(&catalog) {
  std::vector<RuleProblem> problems;
  program_ = compile_program(spec, catalog, problems);
  if (!problems.empty()) {
    const RuleProblem& first = problems.front();
    throw UserError(spec.rules[static_cast<std::size_t>(first.rule)].name + ": " + first.error.what,
                    first.error.remedy);
  }
  for (const Dimension& dimension : spec.dimensions) {
    if (__builtin_mul_overflow(raw_, dimension.size(), &raw_) || raw_ > (std::int64_t{1} << 62)) {
      throw UserError("the axes cross to more than 2^62 combinations",
                      "list fewer values, or derive some axes");
    }
  }
  SpaceSearch(*this).run();
  survivors_.shrink_to_fit();
}

std::int64_t DesignSpace::raw_index(PointIndex index) const {
  ECHO_EXPECT(index >= 0 && index < size());
  return survivors_[static_cast<std::size_t>(index)];
}

PointIndex DesignSpace::find_raw(std::int64_t raw) const {
  const auto found = std::lower_bound(survivors_.begin(), survivors_.end(), raw);
  return found != survivors_.end() && *found == raw ? found - survivors_.begin() : -1;
}

training::TrainingConfig DesignSpace::at(PointIndex index) const {
  std::int64_t raw = raw_index(index);
  PointState state(program_);
  for (std::size_t d = program_.dimensions.size(); d-- > 0;) {
    const auto size = static_cast<std::int64_t>(program_.dimensions[d].front().values.size());
    assign(program_, d, raw % size, state);
    raw /= size;
  }
  for (const std::vector<Step>& level : program_.steps) {
    for (const Step& step : level) {
      const bool kept = run_step(program_, *catalog_, step, state);
      ECHO_ENSURE(kept);
    }
  }
  return normalised(config_of(state, *catalog_), *catalog_);
}

std::uint64_t DesignSpace::config_id(PointIndex index) const { return config_id_of(at(index), *catalog_); }

}  // namespace echo::sweep
