// Rules that divide by zero wherever they are evaluated. One that does so in some combinations drops those,
// as the language says; one that does so in all of them is a mistake that would leave nothing to simulate.
#pragma once

#include <span>
#include <vector>

#include "sweep/language/program.hpp"

namespace echo::sweep {

// What is found among the programs of one sweep: rules, and limits with a bound of numbers alone, at the
// operator that divides. None where a search of bounded effort cannot tell.
[[nodiscard]] std::vector<RuleProblem> rules_divided_by_zero(std::span<const Program> programs,
                                                             const simulate::Catalog& catalog);

}  // namespace echo::sweep
