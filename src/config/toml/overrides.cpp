#include "config/toml/overrides.hpp"

#include <toml++/toml.h>

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

constexpr const char* inside_an_entry = "[]";  // no list of named_lists is inside

struct Target {
  toml::table& table;
  const std::vector<toml::table*>& included;  // files whose lists also hold entries
};
void merge(toml::table& from, const std::string& path, const Target& into);

// The entry of a list that is called `name`, or null.
toml::table* find_entry(toml::node* list, const NamedList& names, const std::string& name) {
  toml::array* const entries = list != nullptr ? list->as_array() : nullptr;
  if (entries == nullptr) return nullptr;
  for (toml::node& node : *entries) {
    toml::table* const entry = node.as_table();
    if (entry == nullptr) continue;
    for (const std::string_view key : names.names) {
      const toml::node* const called = key.empty() ? nullptr : entry->get(key);
      if (called == nullptr) continue;
      if (called->value_or(std::string()) == name) return entry;
      break;  // the name takes precedence over the default name
    }
  }
  return nullptr;
}

toml::table& entry_of(const Target& into, const toml::key& key, const NamedList& names,
                      const std::string& name) {
  if (toml::table* const own = find_entry(into.table.get(key.str()), names, name)) return *own;
  for (auto file = into.included.rbegin(); file != into.included.rend(); ++file) {
    if (toml::table* const theirs = find_entry((*file)->get(names.path), names, name)) return *theirs;
  }
  toml::table entry;
  for (const std::string_view called : names.names) {
    if (!called.empty()) entry.emplace(called, name);
  }
  toml::array& list = *into.table.get(key.str())->as_array();
  list.push_back(std::move(entry));
  return *list.back().as_table();
}

void merge_entries(toml::table& from, const NamedList& names, const toml::key& key, const Target& into) {
  if (into.table.get(key.str()) == nullptr) into.table.insert_or_assign(key, toml::array());
  toml::array* const list = into.table.get(key.str())->as_array();
  if (list == nullptr) return;  // a separate problem, reported by the reader of that section
  for (auto it = from.begin(); it != from.end(); ++it) {
    toml::table* const changes = it->second.as_table();
    if (changes == nullptr) {
      toml::table wrong;
      put(it->first, std::move(it->second), wrong);
      list->push_back(std::move(wrong));  // "limit.memory=3": an entry whose reader finds no such key
      continue;
    }
    merge(*changes, inside_an_entry, {entry_of(into, key, names, std::string(it->first.str())), {}});
  }
}

void merge(toml::table& from, const std::string& path, const Target& into) {
  for (auto it = from.begin(); it != from.end(); ++it) {
    const toml::key& key = it->first;
    const std::string name(key.str());
    const std::string inner_path = path.empty() ? name : path + "." + name;
    toml::table* const inner = it->second.as_table();
    toml::node* const there = into.table.get(name);
    const NamedList* const names = named_list(inner_path);
    const bool dotted = inner != nullptr && !inner->is_inline();
    if (names != nullptr && dotted) {
      merge_entries(*inner, *names, key, into);
    } else if (dotted && ((there != nullptr && there->is_table()) || inner_path == "space")) {
      if (there == nullptr || !there->is_table()) into.table.insert_or_assign(key, toml::table());
      merge(*inner, inner_path, {*into.table.get(name)->as_table(), into.included});
    } else {
      put(key, std::move(it->second), into.table);
    }
  }
}

// "gpu.hbm_bandwidth=x1.5" is short for "what_if.gpu.hbm_bandwidth=x1.5".
void move_what_ifs(toml::table& overlay) {
  constexpr std::array<std::string_view, 4> kinds{"gpu", "gpus", "cluster", "clusters"};
  for (const std::string_view kind : kinds) {
    const auto found = overlay.find(kind);
    if (found == overlay.end() || !found->second.is_table()) continue;
    const toml::key key = found->first;
    toml::table what_if;
    put(key, std::move(found->second), what_if);
    overlay.erase(kind);
    put(toml::key("what_if", key.source()), std::move(what_if), overlay);
  }
}

}  // namespace

void apply_overrides(const std::vector<std::string>& sets, toml::table& root,
                     const std::vector<toml::table*>& included, Problems& problems) {
  for (const std::string& set : sets) {
    const std::string label = "--set " + set;
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      problems.error({label, 0, 0, 1}, "\"" + set + "\" has no key or no value",
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
    move_what_ifs(*overlay);
    merge(*overlay, "", {root, included});
  }
}

}  // namespace echo::config
