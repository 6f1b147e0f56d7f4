// Reads [[limit]] and [[objective]], and the entries of lists by the keys of sweep_keys.hpp.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/toml/toml_reader.hpp"
#include "sweep/spec.hpp"

namespace echo::config {

// The strings of one [[list]] entry by their keys; a bound written as a number becomes text. Missing or
// wrong values are reported and left out.
[[nodiscard]] std::map<std::string_view, std::string> read_entry(const toml::table& table,
                                                                 std::string_view list, Problems&);

// `roots`: the files included, then the sweep; of two limits with one name the later file's stays. `places`
// gets the first character of each limit's bound.
void read_limits(std::span<const toml::table* const> roots, sweep::SweepSpec& spec,
                 std::vector<Place>& places, Problems&);
void read_objectives(const toml::table& root, sweep::SweepSpec& spec, Problems&);

}  // namespace echo::config
