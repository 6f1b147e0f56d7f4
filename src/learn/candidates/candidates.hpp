// Candidate predictors of slowdown: baselines, the white-box model, rates by name, trees, networks, and
// combinations. One table; each has a few settings, chosen by cross-validation.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "learn/candidates/examples.hpp"
#include "learn/candidates/fitted.hpp"

namespace echo::learn {

enum class Role : std::int8_t {
  baseline,  // a useful model must be better
  shown,     // evaluated with the others but never chosen: a sweep could not use it
  learned
};

struct Candidate {
  std::string name;  // "trees_on_families"
  std::string what;  // one line
  Role role = Role::learned;
  std::vector<std::string> settings;  // as text, at least one
  // [settings] fitted only to these rows, of which at least one overlaps and was measured.
  std::function<std::vector<Fitted>(const Examples&, Rows, std::uint64_t seed)> fit;
};

// The candidates applicable to the examples, the baseline "no slowdown" first. A build without xgboost has no
// trees.
[[nodiscard]] std::vector<Candidate> candidates_of(const Examples&);

}  // namespace echo::learn
