#include "launch_flags/table.hpp"

namespace echo::launch_flags {

bool matches_any(const std::vector<std::string>& patterns, const std::string& key) {
  for (const std::string& pattern : patterns) {
    const std::size_t star = pattern.find('*');
    if (star == std::string::npos && key == pattern) return true;
    if (star == std::string::npos || key.size() + 1 < pattern.size()) continue;
    if (key.starts_with(pattern.substr(0, star)) && key.ends_with(pattern.substr(star + 1))) return true;
  }
  return false;
}

}  // namespace echo::launch_flags
