#include "config/rule_reader.hpp"

#include <algorithm>
#include <cctype>

#include "config/did_you_mean.hpp"
#include "sweep/program.hpp"

namespace echo::config {
namespace {

using sweep::Rule;
using sweep::RuleKind;

struct ReadRule {
  Rule rule;
  Place place;  // of the expression's first character
  toml::source_position order;
};

bool is_name(const std::string& text) {
  if (text.empty() || (std::isalpha(static_cast<unsigned char>(text[0])) == 0 && text[0] != '_'))
    return false;
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// Where the characters of a string stand; a string with escapes or several lines has no columns to point at.
Place inside(const toml::node& node) {
  Place place = place_of(node);
  const auto& region = node.source();
  const std::size_t size = node.as_string()->get().size();
  const bool plain =
      region.end.line == region.begin.line && region.end.column - region.begin.column == size + 2;
  if (!plain) place.column -= 1, place.length = 0;
  return place;
}

bool reserved(const std::string& name) {
  for (const char* word : {"min", "max", "and", "or", "not", "true", "false", "model", "gpu", "cluster"}) {
    if (name == word) return true;
  }
  return name == "global_batch_sequences" || name == "global_batch_tokens";
}

void read_derives(const toml::table& root, const toml::table* space, std::vector<ReadRule>& rules,
                  Problems& problems) {
  const toml::node* node = root.get("derive");
  if (node == nullptr) return;
  const toml::table* table = node->as_table();
  if (table == nullptr) {
    problems.error(place_of(*node), "derive must be a table of expressions", "write [derive]");
    return;
  }
  for (const Entry& entry : in_file_order(*table)) {
    const std::string name(entry.key->str());
    const toml::table* paired = space != nullptr ? space->get_as<toml::table>("paired") : nullptr;
    const bool in_space =
        (space != nullptr && space->contains(name)) || (paired != nullptr && paired->contains(name));
    if (!is_name(name) || reserved(name)) {
      problems.error(place_of(*entry.key), "\"" + name + "\" cannot be derived",
                     "use a name of letters, digits and _ that means nothing else");
    } else if (in_space) {
      problems.error(place_of(*entry.key), name + " stands in [space] and in [derive]", "remove one of them");
    } else if (!entry.node->is_string()) {
      problems.error(place_of(*entry.node),
                     name + " must be an expression in a string, not " + type_of(*entry.node),
                     "write " + name + " = \"...\"");
    } else {
      rules.push_back({{RuleKind::derive, name, entry.node->as_string()->get(), ""},
                       inside(*entry.node),
                       entry.key->source().begin});
    }
  }
}

void read_keeps(const toml::table& root, std::vector<ReadRule>& rules, Problems& problems) {
  const toml::node* node = root.get("keep");
  if (node == nullptr) return;
  const toml::array* list = node->as_array();
  if (list == nullptr ||
      !std::all_of(list->begin(), list->end(), [](const toml::node& n) { return n.is_table(); })) {
    problems.error(place_of(*node), "keep must be a list of tables, not " + type_of(*node), "write [[keep]]");
    return;
  }
  std::vector<std::string> names;
  for (const toml::node& one : *list) {
    const toml::table& table = *one.as_table();
    TableReader reader(table, place_of(one), "[[keep]]", problems);
    ReadRule rule;
    rule.rule.kind = RuleKind::keep;
    reader.text("name", rule.rule.name);
    const bool given = reader.text("expr", rule.rule.expression);
    reader.text("why", rule.rule.why, TableReader::Presence::optional);
    reader.finish();
    if (std::find(names.begin(), names.end(), rule.rule.name) != names.end()) {
      problems.error(place_of(*table.get("name")), "two keeps are called \"" + rule.rule.name + "\"",
                     "give each its own name");
    }
    names.push_back(rule.rule.name);
    const toml::node* expression = table.get("expr");
    if (!given || !expression->is_string()) continue;
    rule.place = inside(*expression);
    rule.order = one.source().begin;
    rules.push_back(std::move(rule));
  }
}

}  // namespace

void read_rules(const toml::table& root, sweep::SweepSpec& spec, std::vector<Place>& places,
                Problems& problems) {
  std::vector<ReadRule> rules;
  read_derives(root, root.get_as<toml::table>("space"), rules, problems);
  read_keeps(root, rules, problems);
  std::stable_sort(rules.begin(), rules.end(), [](const ReadRule& a, const ReadRule& b) {
    return a.order.line != b.order.line ? a.order.line < b.order.line : a.order.column < b.order.column;
  });
  for (ReadRule& rule : rules) {
    spec.rules.push_back(std::move(rule.rule));
    places.push_back(std::move(rule.place));
  }
}

void check_rules(const sweep::SweepSpec& spec, const simulate::Catalog& catalog,
                 const std::vector<Place>& places, bool axes_fine, Problems& problems) {
  std::vector<sweep::RuleProblem> found;
  try {
    (void)sweep::compile_program(spec, catalog, found);
  } catch (const UserError& error) {  // a default the catalog lacks
    for (const Problem& problem : error.problems())
      problems.error(problem.place, problem.what, problem.remedy);
  }
  for (const sweep::RuleProblem& problem : found) {
    if (problem.valueless && !axes_fine) continue;
    Place place = places[static_cast<std::size_t>(problem.rule)];
    const bool has_columns = place.length > 0;
    if (has_columns) place.column += problem.error.offset;
    place.length = has_columns ? problem.error.length : 1;
    const std::string& unknown = problem.error.unknown_name;
    problems.error(place, problem.error.what,
                   unknown.empty()
                       ? problem.error.remedy
                       : suggest(unknown, problem.known, "use an axis, a derived name or a preset field"));
  }
}

}  // namespace echo::config
