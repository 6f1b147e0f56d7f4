#include "results/swept_axes.hpp"

#include <algorithm>
#include <cctype>

namespace echo::results {

// "space.paired" of "[space.paired]" and "space.group" of "[[space.group]]"; empty of other lines.
static std::string_view section_of(std::string_view line) {
  if (!line.starts_with('[') || !line.ends_with(']')) return {};
  const std::size_t marks = line.starts_with("[[") ? 2 : 1;
  return line.substr(marks, line.size() - 2 * marks);
}

// "tp" of "tp = [1, 2]"; empty of other lines.
static std::string_view key_of(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_'))
    ++end;
  return line.substr(end).starts_with(" = ") ? line.substr(0, end) : std::string_view{};
}

std::vector<std::string> swept_axes(std::string_view resolved_toml) {
  std::vector<std::string> axes;
  std::string_view section;
  bool has_pair = false;
  while (!resolved_toml.empty()) {
    std::string_view line = resolved_toml.substr(0, resolved_toml.find('\n'));
    resolved_toml.remove_prefix(std::min(line.size() + 1, resolved_toml.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (const std::string_view name = section_of(line); !name.empty()) {
      section = name, has_pair = false;
    } else if (const std::string_view key = key_of(line);
               !key.empty() && (section == "space" || section.starts_with("space."))) {
      const bool is_second = section.ends_with("paired") && has_pair;
      if (!is_second && std::ranges::find(axes, key) == axes.end()) axes.emplace_back(key);
      has_pair = true;
    }
  }
  return axes;
}

}  // namespace echo::results
