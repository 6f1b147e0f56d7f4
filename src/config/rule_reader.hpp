// Reads [derive] and [[keep]] into rules, in the order of the file, and checks their expressions.
#pragma once

#include <vector>

#include "config/toml_reader.hpp"
#include "simulate/catalog.hpp"
#include "sweep/spec.hpp"

namespace echo::config {

// Reads the rules of `root`; `places` gets the first character of each rule's expression.
void read_rules(const toml::table& root, sweep::SweepSpec& spec, std::vector<Place>& places,
                Problems& problems);

// Compiles every expression against the finished spec and reports what does not compile at its column.
// `axes_fine`: every axis of the file was read; else a name without a value is not held against the
// expression.
void check_rules(const sweep::SweepSpec& spec, const simulate::Catalog& catalog,
                 const std::vector<Place>& places, bool axes_fine, Problems& problems);

}  // namespace echo::config
