#include "config/catalog/launch_file.hpp"

#include <toml++/toml.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "config/catalog/preset_files.hpp"
#include "config/toml/read_file.hpp"
#include "launch_flags/readers/readers.hpp"

namespace echo::config {

namespace {

using launch_flags::Relation;
using launch_flags::Row;
using launch_flags::Table;
using launch_flags::Term;

constexpr const char* shared_table = "nccl";

// { NAME = "VALUE" }, in the order of the file.
std::vector<Term> terms_of(const toml::table& table, Problems& problems) {
  std::vector<Term> terms;
  for (const Entry& entry : in_file_order(table)) {
    if (const auto* text = entry.node->as_string())
      terms.push_back({std::string(entry.key->str()), text->get()});
    else
      problems.error(place_of(*entry.node), "a value must be a string, not " + type_of(*entry.node),
                     "write it in quotes");
  }
  return terms;
}

std::vector<Term> terms_in(TableReader& reader, const char* key, Presence presence = Presence::optional) {
  const toml::table* table = reader.table(key, presence);
  return table == nullptr ? std::vector<Term>() : terms_of(*table, reader.problems());
}

void read_texts(TableReader& reader, const char* key, std::vector<std::string>& out) {
  const toml::node* node = reader.node(key, Presence::optional);
  if (node == nullptr) return;
  const toml::array* list = node->as_array();
  if (list == nullptr) return reader.wrong_type(*node, key, "a list of keys");
  for (const toml::node& one : *list) {
    if (const auto* text = one.as_string())
      out.push_back(text->get());
    else
      reader.wrong_type(one, key, "a list of keys");
  }
}

Relation read_number(TableReader& reader, bool) {
  std::string fact, key, absent;
  reader.text("fact", fact);
  reader.text("key", key);
  Relation relation{.rows = {{{{fact, "*"}}, {{key, "*"}}}}, .absent = {}};
  if (reader.text("absent", absent, Presence::optional)) relation.absent.push_back({key, absent});
  return relation;
}

Relation read_flag(TableReader& reader, bool is_flag_by_itself) {
  std::string fact, key, absent = is_flag_by_itself ? "false" : "";
  bool opposite = false;
  reader.text("fact", fact);
  reader.text("key", key);
  reader.text("absent", absent, Presence::optional);
  reader.boolean("opposite", opposite, Presence::optional);
  Relation relation;
  for (const bool is_on : {true, false})
    relation.rows.push_back(
        {{{fact, is_on ? "true" : "false"}}, {{key, is_on != opposite ? "true" : "false"}}});
  if (!absent.empty()) relation.absent.push_back({key, absent});
  return relation;
}

Relation read_choice(TableReader& reader, bool) {
  Relation relation{.rows = {}, .absent = terms_in(reader, "absent")};
  const toml::node* rows = reader.node("rows", Presence::require);
  const toml::array* list = rows == nullptr ? nullptr : rows->as_array();
  if (rows != nullptr && list == nullptr) reader.wrong_type(*rows, "rows", "a list of rows");
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const toml::table* row = list->get(i)->as_table();
    if (row == nullptr) {
      reader.wrong_type(*list->get(i), "rows", "a row { facts = {...}, settings = {...} }");
      continue;
    }
    TableReader of_row(*row, place_of(*row), "a row", reader.problems());
    relation.rows.push_back(
        {terms_in(of_row, "facts", Presence::require), terms_in(of_row, "settings", Presence::require)});
    of_row.finish();
  }
  return relation;
}

struct RelationKind {
  const char* name;
  Relation (*read)(TableReader&, bool);
};
constexpr RelationKind relation_kinds[] = {
    {"number", read_number}, {"flag", read_flag}, {"choice", read_choice}};

struct Placed {
  Relation relation;
  Place place;
};

// In the order of the file, whatever their kind.
std::vector<Relation> read_relations(TableReader& file, bool is_flag_by_itself) {
  std::vector<Placed> found;
  for (const RelationKind& kind : relation_kinds) {
    const toml::node* node = file.node(kind.name, Presence::optional);
    if (node == nullptr) continue;
    for (const toml::table* table : tables_in(*node, kind.name, file.problems())) {
      TableReader reader(*table, place_of(*table), std::string("[[") + kind.name + "]]", file.problems());
      found.push_back({kind.read(reader, is_flag_by_itself), place_of(*table)});
      reader.finish();
    }
  }
  std::ranges::stable_sort(found, {}, [](const Placed& one) { return one.place.line; });
  std::vector<Relation> relations;
  for (Placed& one : found) relations.push_back(std::move(one.relation));
  return relations;
}

}  // namespace

Table read_launch_table(TableReader& file) {
  Table table;
  read_head(file, table.name, table.source);
  int format = 0;
  file.text("title", table.title);
  file.text("version", table.version);
  file.text("framework", table.framework);
  file.choice("format", {"flags", "yaml", "toml", "json"}, format);
  table.format = static_cast<launch_flags::Format>(format);
  file.text("program", table.program, Presence::optional);
  read_texts(file, "ignored", table.ignored);
  read_texts(file, "lists", table.lists);
  table.spelled = terms_in(file, "spelled");
  table.not_simulated = terms_in(file, "not_simulated");
  table.fixed = terms_in(file, "fixed");
  table.relations = read_relations(file, table.format == launch_flags::Format::flags);
  file.finish();
  return table;
}

std::vector<Table> read_launch_tables(const std::vector<std::string>& folders) {
  Problems problems;
  std::vector<Table> tables;
  for (const std::string& folder : folders) {
    for (const std::string& path : toml_files_in(folder + "/launch")) {
      auto root = parse_toml(read_whole_file(path).value_or(""), path, problems);
      if (!root) continue;
      const std::string stem = std::filesystem::path(path).stem().string();
      TableReader reader(*root, {path, 1, 1, 1}, "launch table \"" + stem + "\"", problems);
      Table table = read_launch_table(reader);
      if (!table.name.empty() && table.name != stem)
        problems.error({path, 1, 1, 1}, "the file of " + table.name + " is called " + stem,
                       "give the file and the table one name");
      if (std::ranges::find(tables, table.name, &Table::name) == tables.end())
        tables.push_back(std::move(table));
    }
  }
  problems.throw_if_any();
  std::ranges::sort(tables, {}, &Table::name);
  const auto shared = std::ranges::find(tables, shared_table, &Table::name);
  if (shared == tables.end()) return tables;
  const Table common = *shared;
  tables.erase(shared);
  for (Table& table : tables) {
    table.relations.insert(table.relations.end(), common.relations.begin(), common.relations.end());
    table.ignored.insert(table.ignored.end(), common.ignored.begin(), common.ignored.end());
    table.spelled.insert(table.spelled.end(), common.spelled.begin(), common.spelled.end());
  }
  return tables;
}

namespace {

std::string text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  std::ostringstream out;
  out << toml::node_view<const toml::node>(node);
  return out.str();
}

void flatten(const toml::table& table, const std::string& path, launch_flags::Settings& out) {
  for (const Entry& entry : in_file_order(table)) {
    const std::string key = (path.empty() ? "" : path + ".") + std::string(entry.key->str());
    if (const toml::table* inner = entry.node->as_table()) {
      flatten(*inner, key, out);
      continue;
    }
    std::string value;
    if (const toml::array* list = entry.node->as_array()) {
      for (const toml::node& one : *list) value += (value.empty() ? "" : " ") + text_of(one);
    } else {
      value = text_of(*entry.node);
    }
    if (out.size() < launch_flags::most_settings) out.push_back({key, value, place_of(*entry.node)});
  }
}

}  // namespace

launch_flags::Settings read_toml_settings(const std::string& text, const std::string& file,
                                          Problems& problems) {
  launch_flags::Settings settings;
  if (const auto root = parse_toml(text, file, problems)) flatten(*root, "", settings);
  return settings;
}

}  // namespace echo::config
