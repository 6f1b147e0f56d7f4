#include "config/overrides.hpp"

namespace echo::config {

static void merge(toml::table& from, toml::table& into) {
  for (auto it = from.begin(); it != from.end(); ++it) {
    const toml::key& key = it->first;
    toml::table* const inner = it->second.as_table();
    toml::table* const there = into.get(key.str()) != nullptr ? into.get(key.str())->as_table() : nullptr;
    if (inner != nullptr && there != nullptr && !inner->is_inline()) {
      merge(*inner, *there);
    } else {  // moved, so that the node keeps the place it came from
      std::move(it->second).visit([&](auto&& node) {
        into.insert_or_assign(key, std::forward<decltype(node)>(node));
      });
    }
  }
}

void apply_overrides(const std::vector<std::string>& sets, toml::table& root, Problems& problems) {
  for (const std::string& set : sets) {
    const std::string label = "--set " + set;
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      problems.error({label, 0, 0, 1}, "\"" + set + "\" sets nothing",
                     "write --set key=value, such as space.tp=[1,2]");
      continue;
    }
    Problems as_toml, as_string;
    auto overlay = parse_toml(set, label, as_toml);
    if (!overlay) {  // a bare word: --set name=trial-2
      overlay = parse_toml(set.substr(0, equals) + "=\"" + set.substr(equals + 1) + "\"", label, as_string);
    }
    if (!overlay) {
      for (const Problem& problem : as_toml.list())
        problems.error(problem.place, problem.what, problem.remedy);
      continue;
    }
    merge(*overlay, root);
  }
}

}  // namespace echo::config
