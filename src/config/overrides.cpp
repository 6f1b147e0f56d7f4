#include "config/overrides.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace echo::config {
namespace {

// Lists whose entries --set can name, and the keys that name them, best first.
struct NamedList {
  std::string_view path;
  std::array<std::string_view, 2> names;
};
constexpr std::array<NamedList, 4> named_lists{{{"keep", {"name", ""}},
                                                {"limit", {"name", "metric"}},
                                                {"objective", {"metric", ""}},
                                                {"space.group", {"name", ""}}}};

const NamedList* named_list(std::string_view path) {
  const auto found = std::ranges::find(named_lists, path, &NamedList::path);
  return found == named_lists.end() ? nullptr : &*found;
}

void put(const toml::key& key, toml::node&& value, toml::table& into) {  // keeps the place it came from
  std::move(value).visit(
      [&](auto&& node) { into.insert_or_assign(key, std::forward<decltype(node)>(node)); });
}

constexpr const char* inside_an_entry = "[]";  // no list of named_lists lies in there

void merge(toml::table& from, const std::string& path, toml::table& into);

// The entry of the list that is called `name`; where none is, a new one.
toml::table& entry_of(toml::array& list, const NamedList& names, const std::string& name) {
  for (toml::node& node : list) {
    toml::table* const entry = node.as_table();
    if (entry == nullptr) continue;
    for (const std::string_view key : names.names) {
      const toml::node* const called = key.empty() ? nullptr : entry->get(key);
      if (called == nullptr) continue;
      if (called->value_or(std::string()) == name) return *entry;
      break;  // what it is called comes before what it would be called without
    }
  }
  toml::table entry;
  for (const std::string_view key : names.names) {
    if (!key.empty()) entry.emplace(key, name);
  }
  list.push_back(std::move(entry));
  return *list.back().as_table();
}

void merge_entries(toml::table& from, const NamedList& names, const toml::key& key, toml::table& into) {
  if (into.get(key.str()) == nullptr) into.insert_or_assign(key, toml::array());
  toml::array* const list = into.get(key.str())->as_array();
  if (list == nullptr) return;  // a problem of its own, which the reader of that section tells
  for (auto it = from.begin(); it != from.end(); ++it) {
    toml::table* const changes = it->second.as_table();
    if (changes == nullptr) {
      toml::table wrong;
      put(it->first, std::move(it->second), wrong);
      list->push_back(std::move(wrong));  // "limit.memory=3": an entry whose reader finds no such key
      continue;
    }
    merge(*changes, inside_an_entry, entry_of(*list, names, std::string(it->first.str())));
  }
}

void merge(toml::table& from, const std::string& path, toml::table& into) {
  for (auto it = from.begin(); it != from.end(); ++it) {
    const toml::key& key = it->first;
    const std::string name(key.str());
    const std::string inner_path = path.empty() ? name : path + "." + name;
    toml::table* const inner = it->second.as_table();
    toml::table* const there = into.get(name) != nullptr ? into.get(name)->as_table() : nullptr;
    const NamedList* const names = named_list(inner_path);
    if (names != nullptr && inner != nullptr && !inner->is_inline()) {
      merge_entries(*inner, *names, key, into);
    } else if (inner != nullptr && !inner->is_inline() && (there != nullptr || inner_path == "space")) {
      if (there == nullptr) into.insert_or_assign(key, toml::table());
      merge(*inner, inner_path, *into.get(name)->as_table());
    } else {
      put(key, std::move(it->second), into);
    }
  }
}

}  // namespace

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
    merge(*overlay, "", root);
  }
}

}  // namespace echo::config
