// Reads [derive] and [[keep]] into rules, in the order of the files, and checks the expressions of rules and
// limits.
#pragma once

#include <span>
#include <vector>

#include "config/toml/toml_reader.hpp"
#include "simulate/catalog.hpp"
#include "sweep/spec.hpp"

namespace echo::config {

// `roots`: the files included, then the sweep. If two rules have one name, the later file's stays; an axis
// of the sweep's [space] replaces an included derivation of the same name. `places` gets the first character
// of each rule's expression.
void read_rules(std::span<const toml::table* const> roots, sweep::SweepSpec& spec, std::vector<Place>& places,
                Problems& problems);

// Compiles every expression against the finished spec and reports what does not compile at its column.
// `places`: those of the rules, then of the limits. `axes_fine`: every axis of the file was read; otherwise a
// name without a value is not held against the expression.
void check_expressions(const sweep::SweepSpec& spec, const simulate::Catalog& catalog,
                       const std::vector<Place>& places, bool axes_fine, Problems& problems);

}  // namespace echo::config
