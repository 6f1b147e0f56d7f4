// From facts to settings and back, by a table.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launch_flags/facts.hpp"
#include "launch_flags/table.hpp"

namespace echo::launch_flags {

// The settings that say the facts; in order of the table. A fact that no row has is left unsaid.
[[nodiscard]] Settings settings_of(const Facts& facts, const Table& table);

// A setting that is not taken over, and why.
struct LeftOut {
  Setting setting;
  std::string why;  // empty for `ignored`
};

struct Understood {
  Facts facts;
  std::map<std::string, Setting, std::less<>> said_by;  // [fact]: a setting that says it; none: by a default
  std::vector<LeftOut> ignored;                         // changes neither the time nor the memory of a step
  std::vector<LeftOut>
      not_simulated;             // may change it; the simulator lacks it, or the table knows no such value
  std::vector<LeftOut> unknown;  // the table does not know the key
};

[[nodiscard]] Understood facts_said(const Settings& settings, const Table& table);

// How many of them the table's relations speak of, those of the environment left out.
[[nodiscard]] std::size_t known_settings(const Settings& settings, const Table& table);

// Keys as the table spells them. Values of `settings` stay.
[[nodiscard]] Settings respelled(const Settings& settings, const Table& table);

}  // namespace echo::launch_flags
