#include "launch_flags/translate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>

namespace echo::launch_flags {

namespace {

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::optional<double> number_of(std::string_view text) {
  double value = 0.0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool same_value(std::string_view a, std::string_view b) {
  if (equal_ignoring_case(a, b)) return true;
  const auto x = number_of(a), y = number_of(b);
  return x && y && *x == *y;
}

// Whether `text` is what `pattern` says; what stands for "*" must agree with `bound`, if that is set.
bool fits(const std::string& pattern, const std::string& text, std::optional<std::string>& bound) {
  if (const std::size_t star = pattern.find('*'); star != std::string::npos) {
    const std::string before = pattern.substr(0, star), after = pattern.substr(star + 1);
    if (text.size() < before.size() + after.size() || !text.starts_with(before) || !text.ends_with(after))
      return false;
    const std::string found = text.substr(before.size(), text.size() - before.size() - after.size());
    if (found.empty() || (bound && !same_value(*bound, found))) return false;
    bound = found;
    return true;
  }
  for (std::size_t begin = 0; begin <= pattern.size();) {
    const std::size_t end = std::min(pattern.find('|', begin), pattern.size());
    if (same_value(std::string_view(pattern).substr(begin, end - begin), text)) return true;
    begin = end + 1;
  }
  return false;
}

std::string written(const std::string& pattern, const std::optional<std::string>& bound) {
  if (const std::size_t star = pattern.find('*'); star != std::string::npos)
    return pattern.substr(0, star) + bound.value_or("") + pattern.substr(star + 1);
  return pattern.substr(0, pattern.find('|'));
}

void replace_all(std::string& text, char from, char to) { std::ranges::replace(text, from, to); }

const std::string* absent_value(const Relation& relation, const std::string& key) {
  const auto found = std::ranges::find(relation.absent, key, &Term::name);
  return found == relation.absent.end() ? nullptr : &found->value;
}

bool is_list(const Table& table, const std::string& key) {
  return std::ranges::find(table.lists, key) != table.lists.end();
}

// Whether the facts of a row hold, with what stands for "*".
bool holds(const Row& row, const Facts& facts, std::optional<std::string>& bound) {
  return std::ranges::all_of(row.facts, [&](const Term& term) {
    const auto found = facts.find(term.name);
    return found != facts.end() && fits(term.value, found->second, bound);
  });
}

void write_row(const Row& row, const Relation& relation, const Table& table,
               const std::optional<std::string>& bound, Settings& out) {
  for (const Term& term : row.settings) {
    std::string value = written(term.value, bound);
    const std::string* absent = absent_value(relation, term.name);
    if (absent != nullptr && same_value(*absent, value)) continue;
    if (is_list(table, term.name)) replace_all(value, '+', ' ');
    out.push_back({term.name, std::move(value), {}});
  }
}

std::set<std::string> keys_of(const Relation& relation) {
  std::set<std::string> keys;
  for (const Row& row : relation.rows)
    for (const Term& term : row.settings) keys.insert(term.name);
  for (const Term& term : relation.absent) keys.insert(term.name);
  return keys;
}

using Said = std::map<std::string, const Setting*, std::less<>>;

// Reads one relation.
class RelationReader {
 public:
  RelationReader(const Relation& relation, const Table& table, const Said& said, Understood& out)
      : relation_(relation), table_(table), said_(said), out_(out), keys_(keys_of(relation)) {}

  void read() {
    for (const Row& row : relation_.rows) {
      std::optional<std::string> bound;
      if (agrees(row, bound)) return take(row, bound);
    }
    for (const std::string& key : keys_)
      if (const Setting* setting = find(key))
        out_.not_simulated.push_back(
            {*setting,
             fmt::format("its value is not known, or not beside the others; known: {}", known(key))});
  }

 private:
  [[nodiscard]] const Setting* find(const std::string& key) const {
    const auto found = said_.find(key);
    return found == said_.end() ? nullptr : found->second;
  }
  // The value that the key has, said or by default; nothing where it has none.
  [[nodiscard]] std::optional<std::string> value(const std::string& key) const {
    if (const Setting* setting = find(key)) {
      std::string text = setting->value;
      if (is_list(table_, key)) replace_all(text, ' ', '+');
      return text;
    }
    const std::string* absent = absent_value(relation_, key);
    return absent == nullptr ? std::nullopt : std::optional(*absent);
  }
  bool agrees(const Row& row, std::optional<std::string>& bound) const {
    return std::ranges::all_of(keys_, [&](const std::string& key) {
      const auto term = std::ranges::find(row.settings, key, &Term::name);
      const auto text = value(key);
      if (term != row.settings.end()) return text && fits(term->value, *text, bound);
      const std::string* absent = absent_value(relation_, key);
      return !text || (absent != nullptr && same_value(*absent, *text));
    });
  }
  void take(const Row& row, const std::optional<std::string>& bound) {
    const Setting* by = nullptr;
    for (const std::string& key : keys_)
      if (by == nullptr) by = find(key);
    for (const Term& term : row.facts) {
      out_.facts[term.name] = written(term.value, bound);
      if (by != nullptr) out_.said_by[term.name] = *by;
    }
  }
  [[nodiscard]] std::string known(const std::string& key) const {
    std::string list;
    for (const Row& row : relation_.rows)
      for (const Term& term : row.settings)
        if (term.name == key && list.find(term.value) == std::string::npos)
          list += (list.empty() ? "" : ", ") + term.value;
    return list;
  }

  const Relation& relation_;
  const Table& table_;
  const Said& said_;
  Understood& out_;
  std::set<std::string> keys_;
};

void sort_out(const Setting& setting, const Table& table, Understood& out) {
  if (matches_any(table.ignored, setting.key) ||
      std::ranges::any_of(table.fixed, [&](const Term& term) { return term.name == setting.key; }))
    return out.ignored.push_back({setting, ""});
  for (const Term& term : table.not_simulated)
    if (matches_any({term.name}, setting.key)) return out.not_simulated.push_back({setting, term.value});
  out.unknown.push_back({setting, ""});
}

}  // namespace

Settings settings_of(const Facts& facts, const Table& table) {
  Settings out;
  for (const Relation& relation : table.relations) {
    for (const Row& row : relation.rows) {
      std::optional<std::string> bound;
      if (!holds(row, facts, bound)) continue;
      write_row(row, relation, table, bound, out);
      break;
    }
  }
  return out;
}

Settings respelled(const Settings& settings, const Table& table) {
  Settings out = settings;
  for (Setting& setting : out) {
    const auto found = std::ranges::find(table.spelled, setting.key, &Term::name);
    if (found == table.spelled.end()) continue;
    const bool is_opposite = found->value.starts_with('!');
    setting.key = found->value.substr(is_opposite ? 1 : 0);
    if (is_opposite) setting.value = equal_ignoring_case(setting.value, "true") ? "false" : "true";
  }
  return out;
}

std::size_t known_settings(const Settings& settings, const Table& table) {
  std::set<std::string, std::less<>> known;
  for (const Relation& relation : table.relations)
    for (const std::string& key : keys_of(relation)) known.insert(key);
  std::size_t count = 0;
  for (const Setting& setting : respelled(settings, table))
    if (known.contains(setting.key) && !setting.key.starts_with(environment_prefix)) ++count;
  return count;
}

Understood facts_said(const Settings& settings, const Table& table) {
  const Settings named = respelled(settings, table);
  Understood out;
  Said said;
  for (const Setting& setting : named) said[setting.key] = &setting;
  std::set<std::string, std::less<>> known;
  for (const Relation& relation : table.relations) {
    for (const std::string& key : keys_of(relation)) known.insert(key);
    RelationReader(relation, table, said, out).read();
  }
  for (const Setting& setting : named) {
    const bool is_last = said.find(setting.key)->second == &setting;
    if (!known.contains(setting.key) && is_last) sort_out(setting, table, out);
  }
  return out;
}

}  // namespace echo::launch_flags
