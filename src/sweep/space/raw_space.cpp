#include "sweep/space/raw_space.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "base/error.hpp"

namespace echo::sweep {

static void refuse(const std::vector<RuleProblem>& problems, const SweepSpec& spec) {
  if (problems.empty()) return;
  std::vector<Problem> told;
  for (const RuleProblem& problem : problems) {
    const auto index = static_cast<std::size_t>(problem.rule), rules = spec.rules.size();
    const std::string& name = index < rules ? spec.rules[index].name : spec.limits[index - rules].metric;
    told.push_back({{}, name + ": " + problem.error.what, problem.error.remedy});
  }
  throw UserError(std::move(told));
}

RawSpace::RawSpace(const SweepSpec& spec, const simulate::Catalog& catalog) : catalog_(&catalog), firsts_{0} {
  std::vector<RuleProblem> problems;
  programs_ = compile_program(spec, catalog, problems);
  refuse(problems, spec);
  for (const Program& program : programs_) {
    std::vector<std::int64_t> below{1};
    bool fits = true;
    for (std::size_t d = program.dimensions.size(); d-- > 0;) {
      std::int64_t combinations = 0;
      fits = fits && !__builtin_mul_overflow(below.back(), program.size_of(d), &combinations);
      below.push_back(combinations);
    }
    std::reverse(below.begin(), below.end());
    std::int64_t end = 0;
    fits = fits && !__builtin_add_overflow(firsts_.back(), below.front(), &end);
    if (!fits || end > (std::int64_t{1} << 62)) {
      throw UserError("the axes span more than 2^62 combinations", "list fewer values, or derive some axes");
    }
    firsts_.push_back(end);
    below_.push_back(std::move(below));
  }
}

std::size_t RawSpace::group_of(std::int64_t raw) const {
  ECHO_EXPECT(raw >= 0 && raw < size());
  return static_cast<std::size_t>(std::upper_bound(firsts_.begin(), firsts_.end(), raw) - firsts_.begin()) -
         1;
}

void RawSpace::digits_of(std::int64_t raw, std::vector<std::int64_t>& out) const {
  const std::size_t group = group_of(raw);
  const std::vector<std::int64_t>& below = below_[group];
  std::int64_t rest = raw - firsts_[group];
  out.resize(below.size() - 1);
  for (std::size_t d = 0; d < out.size(); ++d) {
    out[d] = rest / below[d + 1];
    rest %= below[d + 1];
  }
}

void RawSpace::add_to_digits(std::size_t group, std::int64_t by, std::vector<std::int64_t>& digits) const {
  const Program& program = programs_[group];
  for (std::size_t d = digits.size(); by != 0;) {
    const std::int64_t size = program.size_of(--d), sum = digits[d] + by;
    by = sum < size ? 0 : sum / size;
    digits[d] = by == 0 ? sum : sum % size;
  }
}

std::int64_t RawSpace::raw_of(std::size_t group, const std::vector<std::int64_t>& digits) const {
  std::int64_t raw = firsts_[group];
  for (std::size_t d = 0; d < digits.size(); ++d) raw += digits[d] * below_[group][d + 1];
  return raw;
}

}  // namespace echo::sweep
