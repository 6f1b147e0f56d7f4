#include "config/toml/did_you_mean.hpp"

#include <algorithm>
#include <cctype>

namespace echo::config {

static char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Optimal string alignment distance: three rows of the usual table.
int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<int> before(width), previous(width), current(width);
  for (std::size_t j = 0; j < width; ++j) previous[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = previous[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      const bool swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before.swap(previous);
    previous.swap(current);
  }
  return previous[b.size()];
}

std::string closest(std::string_view name, const std::vector<std::string>& known) {
  std::string best;
  constexpr std::size_t longest = 200;  // a comparison costs the product of two lengths
  if (name.size() > longest) return best;
  int best_distance = 1 + std::max(1, static_cast<int>(name.size()) / 3);  // beyond this it is another word
  for (const std::string& candidate : known) {
    const int distance = edit_distance(name, candidate);
    if (distance < best_distance) best = candidate, best_distance = distance;
  }
  if (!best.empty() || name.size() < 3) return best;
  for (const std::string& candidate : known) {  // a prefix typed short: "megatron-c", "h100"
    if (candidate.starts_with(name)) return candidate;
  }
  return best;
}

std::string suggest(std::string_view name, const std::vector<std::string>& known, std::string_view all) {
  const std::string near = closest(name, known);
  if (!near.empty()) return "did you mean \"" + near + "\"?";
  constexpr std::size_t most_named = 12;  // a longer list helps nobody
  std::string list;
  for (std::size_t i = 0; i < known.size() && i < most_named; ++i) list += (i == 0 ? "" : ", ") + known[i];
  if (known.size() > most_named) list += ", ...";
  return std::string(all) + ": " + (list.empty() ? "none" : list);
}

}  // namespace echo::config
