// Completes presets that only list their differences from another one: base = "h100-sxm".
#pragma once

#include <string>
#include <vector>

#include "config/toml/toml_reader.hpp"

namespace echo::config {

struct RawPreset {
  std::string name;
  toml::table* table;  // not null; filled up in place
  Place place;
  std::string holder;  // its name in messages: "file" or "section"
  std::string base;    // the name of another preset that it was completed from; empty = none
};

// Gives each preset with `base` the keys that it lacks and its base has: all but name, source and grade,
// which are its own. Tables are filled up key by key; a value is taken as a whole, with its source and error.
// The base is the best preset of that name; the preset's own name means the next one behind it, which it then
// replaces. `presets` are of one kind, the best of equal names first. A base that is unknown or leads back to
// the preset is a problem, and presets that depend on it are removed from the list.
void fill_from_bases(std::vector<RawPreset>& presets, const std::string& kind, Problems&);

}  // namespace echo::config
