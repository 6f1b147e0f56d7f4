#include "config/toml/toml_reader.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "config/toml/did_you_mean.hpp"
#include "config/toml/document_limits.hpp"

namespace echo::config {

static Place place_of(const toml::source_region& region) {
  Place place;
  if (region.path) place.file = *region.path;
  place.line = static_cast<std::int32_t>(region.begin.line);
  place.column = static_cast<std::int32_t>(region.begin.column);
  const bool one_line = region.end.line == region.begin.line && region.end.column > region.begin.column;
  place.length = one_line ? static_cast<std::int32_t>(region.end.column - region.begin.column) : 1;
  return place;
}

Place place_of(const toml::node& node) {
  Place place = place_of(node.source());
  if (node.is_string()) {
    place.column += 1;
    place.length = std::max(1, static_cast<std::int32_t>(node.as_string()->get().size()));
  }
  return place;
}

Place place_of(const toml::key& key) { return place_of(key.source()); }

Place place_inside(const toml::node& string) {
  Place place = place_of(string);
  if (!string.is_string()) return place;
  const auto& region = string.source();
  const std::size_t size = string.as_string()->get().size();
  const bool plain =
      region.end.line == region.begin.line && region.end.column - region.begin.column == size + 2;
  if (!plain) place.column -= 1, place.length = 0;
  return place;
}

std::string type_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::none:
      return "nothing";
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a real number";
    case toml::node_type::boolean:
      return "a boolean";
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time:
      return "a date or time";
  }
  return "something else";
}

bool is_override(const toml::key& key) {
  return key.source().path && key.source().path->starts_with("--set ");
}

std::vector<Entry> in_file_order(const toml::table& table) {
  std::vector<Entry> entries;
  for (auto it = table.begin(); it != table.end(); ++it) entries.push_back({&it->first, &it->second});
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (is_override(*a.key) != is_override(*b.key)) return is_override(*b.key);
    const auto x = a.key->source().begin, y = b.key->source().begin;
    return x.line != y.line ? x.line < y.line : x.column < y.column;
  });
  return entries;
}

std::optional<toml::table> parse_toml(const std::string& text, const std::string& file, Problems& problems) {
  if (!may_be_parsed(text, file, problems)) return std::nullopt;
  try {
    toml::table document = toml::parse(std::string_view(text), std::string_view(file));
    if (!may_be_read(document, problems)) return std::nullopt;
    return document;
  } catch (const toml::parse_error& error) {
    Place place = place_of(error.source());
    place.file = file;
    problems.error(place, "this is not TOML: " + std::string(error.description()),
                   "correct the syntax; the rest of this file could not be checked");
    return std::nullopt;
  }
}

std::vector<const toml::table*> tables_in(const toml::node& node, const std::string& name,
                                          Problems& problems) {
  std::vector<const toml::table*> tables;
  const toml::array* list = node.as_array();
  if (list != nullptr && list->size() > most_entries) {
    problems.error(place_of(node), name + " has " + std::to_string(list->size()) + " entries",
                   "write " + std::to_string(most_entries) + " or fewer");
    return {};
  }
  if (list != nullptr) {
    for (const toml::node& one : *list) {
      if (one.is_table()) tables.push_back(one.as_table());
    }
  }
  if (list != nullptr && tables.size() == list->size()) return tables;
  problems.error(place_of(node), name + " must be a list of tables, not " + type_of(node),
                 "write [[" + name + "]]");
  return {};
}

std::string_view TableReader::grade(std::string_view key) const {
  const toml::table* entry = table_.get_as<toml::table>(key);
  return entry == nullptr                 ? ""
         : entry->get("grade") == nullptr ? ""
                                          : entry->get("grade")->value_or(std::string_view());
}

const toml::node* TableReader::node(std::string_view key, Presence presence) {
  known_.emplace_back(key);
  const toml::node* found = table_.get(key);
  if (found == nullptr) {
    if (presence == Presence::require) {
      problems_.error(place_, what_ + " lacks \"" + std::string(key) + "\"", "add the key");
    }
    return nullptr;
  }
  const toml::table* wrapped = found->as_table();
  if (wrapped == nullptr || !wrapped->contains("value")) return found;
  TableReader inner(*wrapped, place_of(*found), what_ + ", " + std::string(key), problems_);
  std::string source;
  int grade = 0;
  inner.text("source", source);
  inner.choice("grade", {"vendor", "measured", "assumed"}, grade);
  inner.ignore("value");
  inner.finish();
  return wrapped->get("value");
}

void TableReader::wrong_type(const toml::node& node, std::string_view key, std::string_view wanted) {
  problems_.error(place_of(node),
                  std::string(key) + " must be " + std::string(wanted) + ", not " + type_of(node),
                  "write " + std::string(wanted));
}

bool TableReader::text(std::string_view key, std::string& out, Presence presence) {
  note(key, "\"\"", "a text", presence);
  const toml::node* found = node(key, presence);
  if (found == nullptr) return false;
  if (const auto* string = found->as_string()) {
    if (string->get().empty()) {
      problems_.error(place_of(*found), std::string(key) + " is empty", "write a non-empty string");
    }
    out = string->get();
  } else {
    wrong_type(*found, key, "a string");
  }
  return true;
}

bool TableReader::choice(std::string_view key, const std::vector<std::string>& names, int& out,
                         Presence presence) {
  std::string words;
  for (const std::string& name : names) words += (words.empty() ? "" : " | ") + name;
  note(key, "\"\"", words, presence);
  const toml::node* found = node(key, presence);
  if (found == nullptr) return false;
  const auto* string = found->as_string();
  if (string == nullptr) {
    wrong_type(*found, key, "a string");
    return true;
  }
  const auto at = std::find(names.begin(), names.end(), string->get());
  if (at == names.end()) {
    problems_.error(place_of(*found), "unknown " + std::string(key) + " \"" + string->get() + "\"",
                    suggest(string->get(), names, "known"));
  } else {
    out = static_cast<int>(at - names.begin());
  }
  return true;
}

bool TableReader::boolean(std::string_view key, bool& out, Presence presence) {
  note(key, "false", "true | false", presence);
  const toml::node* found = node(key, presence);
  if (found == nullptr) return false;
  if (const auto value = switch_of(*found)) {
    out = *value;
  } else {
    wrong_type(*found, key, "true or false");
  }
  return true;
}

std::optional<bool> switch_of(const toml::node& node) {
  if (const auto* value = node.as_boolean()) return value->get();
  const auto* const text = node.as_string();
  if (text != nullptr && (text->get() == "on" || text->get() == "off")) return text->get() == "on";
  return std::nullopt;
}

static std::string shown(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

// "at least 1 and at most 4096"
static std::string words_of(Range range) {
  std::string words = range.low > 0.0 && range.low < 1e-200 ? "positive" : "at least " + shown(range.low);
  if (range.high < 2e9) words += " and at most " + shown(range.high);
  return words;
}

bool TableReader::in_range(const toml::node& node, std::string_view key, double value, Range range) {
  if (value >= range.low && value <= range.high) return true;
  problems_.error(place_of(node), std::string(key) + " = " + shown(value) + " is impossible",
                  "it must be " + words_of(range));
  return false;
}

bool TableReader::integer(std::string_view key, Range range, std::int64_t& out, Presence presence) {
  note(key, "0", "an integer, " + words_of(range), presence);
  const toml::node* found = node(key, presence);
  if (found == nullptr) return false;
  if (const auto* value = found->as_integer()) {
    if (in_range(*found, key, static_cast<double>(value->get()), range)) out = value->get();
  } else {
    wrong_type(*found, key, "an integer");
  }
  return true;
}

bool TableReader::integers(std::string_view key, Range range, std::pair<std::size_t, std::size_t> fewest_most,
                           std::vector<std::int32_t>& out, Presence presence) {
  note(key, "[]", "a list of integers, each " + words_of(range), presence);
  const toml::node* found = node(key, presence);
  if (found == nullptr) return false;
  const toml::array* list = found->as_array();
  if (list == nullptr) {
    wrong_type(*found, key, "a list of integers");
    return true;
  }
  if (list->size() < fewest_most.first || list->size() > fewest_most.second) {
    problems_.error(
        place_of(*found), std::string(key) + " lists " + std::to_string(list->size()) + " integers",
        "list " + std::to_string(fewest_most.first) + " to " + std::to_string(fewest_most.second));
    return true;
  }
  out.clear();
  for (const toml::node& one : *list) {
    const auto* value = one.as_integer();
    if (value == nullptr) {
      wrong_type(one, key, "a list of integers");
    } else if (in_range(one, key, static_cast<double>(value->get()), range)) {
      out.push_back(static_cast<std::int32_t>(value->get()));
    }
  }
  return true;
}

bool TableReader::real(std::string_view key, Range range, double& out, Presence presence) {
  note(key, "0.0", "a number, " + words_of(range), presence);
  const toml::node* found = node(key, presence);
  if (found == nullptr) return false;
  const auto value = found->is_number() ? found->value<double>() : std::nullopt;
  if (!value) {
    wrong_type(*found, key, "a number");
  } else if (in_range(*found, key, *value, range)) {
    out = *value;
  }
  return true;
}

bool TableReader::quantity(std::string_view key, UnitKind kind, Range range, double& out, Presence presence) {
  note(key, "\"\"", example_of(kind), presence);
  const toml::node* found = node(key, presence);
  if (found == nullptr) return false;
  UnitProblem problem;
  if (const auto* string = found->as_string()) {
    const auto value = parse_quantity(string->get(), kind, key, problem);
    if (!value) {
      problems_.error(place_of(*found), problem.what, problem.remedy);
    } else if (in_range(*found, key, static_cast<double>(*value), range)) {
      out = static_cast<double>(*value);
    }
  } else if (found->is_number()) {
    problem = missing_unit(shown(found->value<double>().value_or(0.0)), kind, key);
    problems_.error(place_of(*found), problem.what, problem.remedy);
  } else {
    wrong_type(*found, key, "a string with a unit");
  }
  return true;
}

const toml::table* TableReader::table(std::string_view key, Presence presence) {
  const toml::node* found = node(key, presence);
  if (found == nullptr) return nullptr;
  if (const toml::table* table = found->as_table()) return table;
  wrong_type(*found, key, "a table");
  return nullptr;
}

void TableReader::finish() {
  for (const Entry& entry : in_file_order(table_)) {
    const std::string name(entry.key->str());
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    problems_.error(place_of(*entry.key), "unknown key \"" + name + "\" in " + what_,
                    suggest(name, known_, "keys"));
  }
}

}  // namespace echo::config
