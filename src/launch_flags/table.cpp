#include "launch_flags/table.hpp"

namespace echo::launch_flags {

bool matches_any(const std::vector<std::string>& patterns, const std::string& key) {
  for (const std::string& pattern : patterns) {
    const bool is_prefix = pattern.ends_with('*');
    if (is_prefix ? key.starts_with(pattern.substr(0, pattern.size() - 1)) : key == pattern) return true;
  }
  return false;
}

}  // namespace echo::launch_flags
