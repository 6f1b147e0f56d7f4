// Words of a list of settings with the places of each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch_flags/settings.hpp"

namespace echo::machine_files {

struct PlacedWord {
  std::string text;
  Place place;
};

// The words of a setting's value, as they follow each other in `text` from the setting's place on; a word
// that is not found there as it is has the place of the setting.
[[nodiscard]] std::vector<PlacedWord> words_of(const launch_flags::Setting&, std::string_view text);

// A finite number that is the whole word; nothing for any other.
[[nodiscard]] std::optional<double> number_of(std::string_view word);

// The last setting of this key, or null.
[[nodiscard]] const launch_flags::Setting* find(const launch_flags::Settings&, std::string_view key);

}  // namespace echo::machine_files
