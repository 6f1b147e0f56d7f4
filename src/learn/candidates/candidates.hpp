// What may predict a slowdown: baselines, the white-box model, rates by name, trees, networks, and these on
// top of each other. One table; each has a few settings that folds choose among.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "learn/candidates/examples.hpp"
#include "learn/candidates/fitted.hpp"

namespace echo::learn {

enum class Role : std::int8_t {
  baseline,  // what a model has to beat to be worth anything
  shown,     // judged beside the others, never chosen: a sweep could not use it
  learned
};

struct Candidate {
  std::string name;  // "trees_on_families"
  std::string what;  // one line
  Role role = Role::learned;
  std::vector<std::string> settings;  // in words, at least one
  // [settings] fitted to these rows; looks at no other, at least one of them overlaps and was measured.
  std::function<std::vector<Fitted>(const Examples&, Rows, std::uint64_t seed)> fit;
};

// Those that the examples admit, the baseline "no slowdown" first. Trees are missing from a build without
// xgboost.
[[nodiscard]] std::vector<Candidate> candidates_of(const Examples&);

}  // namespace echo::learn
