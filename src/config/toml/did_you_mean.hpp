// Suggests the closest known name for a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace echo::config {

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`, ignoring case.
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

// The closest of `known`, or "" when none is near enough to be a likely slip.
[[nodiscard]] std::string closest(std::string_view name, const std::vector<std::string>& known);

// `did you mean "x"?`, or the list of known names if none is close. `all` is the heading of
// that list.
[[nodiscard]] std::string suggest(std::string_view name, const std::vector<std::string>& known,
                                  std::string_view all);

}  // namespace echo::config
