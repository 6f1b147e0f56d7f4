#include "config/sweep_file/rule_reader.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

#include "base/at.hpp"
#include "config/sweep_file/goal_reader.hpp"
#include "config/toml/did_you_mean.hpp"
#include "config/toml/document_limits.hpp"
#include "sweep/language/program.hpp"
#include "sweep/space/divided_by_zero.hpp"

namespace echo::config {
namespace {

using sweep::Rule;
using sweep::RuleKind;

struct ReadRule {
  Rule rule;
  Place place;                  // of the expression's first character
  toml::source_position order;  // line 0: added by --set
};

bool is_name(const std::string& text) {
  if (text.empty() || (std::isalpha(static_cast<unsigned char>(text[0])) == 0 && text[0] != '_'))
    return false;
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

bool reserved(const std::string& name) {
  for (const char* word : {"min", "max", "and", "or", "not", "true", "false", "model", "gpu", "cluster"}) {
    if (name == word) return true;
  }
  return name == "global_batch_sequences" || name == "global_batch_tokens";
}

// Every axis in [space], its pairs or its groups.
std::set<std::string> axes_in(const toml::table& root) {
  std::set<std::string> names;
  const toml::table* space = root.get_as<toml::table>("space");
  if (space == nullptr) return names;
  std::vector<const toml::table*> tables{space};
  if (const toml::array* groups = space->get_as<toml::array>("group")) {
    for (const toml::node& group : *groups) {
      if (group.is_table()) tables.push_back(group.as_table());
    }
  }
  for (const toml::table* table : tables) {
    for (const Entry& entry : in_file_order(*table)) names.emplace(entry.key->str());
    if (const toml::table* paired = table->get_as<toml::table>("paired")) {
      for (const Entry& entry : in_file_order(*paired)) names.emplace(entry.key->str());
    }
  }
  return names;
}

void read_derives(const toml::table& root, const std::set<std::string>& axes, bool included,
                  std::vector<ReadRule>& rules, Problems& problems) {
  const toml::node* node = root.get("derive");
  if (node == nullptr) return;
  const toml::table* table = node->as_table();
  if (table == nullptr) {
    problems.error(place_of(*node), "derive must be a table of expressions", "write [derive]");
    return;
  }
  if (table->size() > most_entries) {
    problems.error(place_of(*node), "derive has " + std::to_string(table->size()) + " names",
                   "write " + std::to_string(most_entries) + " or fewer");
    return;
  }
  for (const Entry& entry : in_file_order(*table)) {
    const std::string name(entry.key->str());
    if (!is_name(name) || reserved(name)) {
      problems.error(place_of(*entry.key), "\"" + name + "\" cannot be derived",
                     "use a name of letters, digits and _ that has no other meaning");
    } else if (axes.contains(name)) {
      if (!included) {
        problems.error(place_of(*entry.key), name + " is in [space] and in [derive]", "remove one of them");
      }
    } else if (!entry.node->is_string()) {
      problems.error(place_of(*entry.node),
                     name + " must be an expression in a string, not " + type_of(*entry.node),
                     "write " + name + " = \"...\"");
    } else {
      rules.push_back({{RuleKind::derive, name, entry.node->as_string()->get(), ""},
                       place_inside(*entry.node),
                       is_override(*entry.key) ? toml::source_position{} : entry.key->source().begin});
    }
  }
}

void read_keeps(const toml::table& root, std::vector<ReadRule>& rules, Problems& problems) {
  const toml::node* node = root.get("keep");
  if (node == nullptr) return;
  std::vector<std::string> names;
  for (const toml::table* table : tables_in(*node, "keep", problems)) {
    auto values = read_entry(*table, "keep", problems);
    const std::string& name = values["name"];
    if (!name.empty() && std::find(names.begin(), names.end(), name) != names.end()) {
      problems.error(place_of(*table->get("name")), "two [[keep]] rules have the name \"" + name + "\"",
                     "rename one of them");
    }
    names.push_back(name);
    if (values["expr"].empty()) continue;
    rules.push_back({{RuleKind::keep, name, values["expr"], values["why"]},
                     place_inside(*table->get("expr")),
                     table->source().begin});
  }
}

}  // namespace

void read_rules(std::span<const toml::table* const> roots, sweep::SweepSpec& spec, std::vector<Place>& places,
                Problems& problems) {
  const std::set<std::string> axes = axes_in(*roots.back());
  std::vector<ReadRule> all;
  for (const toml::table* root : roots) {
    std::vector<ReadRule> rules;
    read_derives(*root, axes, root != roots.back(), rules, problems);
    read_keeps(*root, rules, problems);
    std::stable_sort(rules.begin(), rules.end(), [](const ReadRule& a, const ReadRule& b) {
      const auto rank = [](const ReadRule& rule) {
        return std::tuple(rule.order.line == 0, rule.order.line, rule.order.column);
      };
      return rank(a) < rank(b);
    });
    std::erase_if(all, [&](const ReadRule& earlier) {
      return std::any_of(rules.begin(), rules.end(), [&](const ReadRule& later) {
        return later.rule.kind == earlier.rule.kind && later.rule.name == earlier.rule.name;
      });
    });
    std::move(rules.begin(), rules.end(), std::back_inserter(all));
  }
  for (ReadRule& rule : all) {
    spec.rules.push_back(std::move(rule.rule));
    places.push_back(std::move(rule.place));
  }
}

void check_expressions(const sweep::SweepSpec& spec, const simulate::Catalog& catalog,
                       const std::vector<Place>& places, bool axes_fine, Problems& problems) {
  std::vector<sweep::RuleProblem> found;
  try {
    const std::vector<sweep::Program> programs = sweep::compile_program(spec, catalog, found);
    if (found.empty() && problems.errors() == 0) found = sweep::rules_divided_by_zero(programs, catalog);
  } catch (const UserError& error) {  // a default the catalog lacks
    for (const Problem& problem : error.problems())
      problems.error(problem.place, problem.what, problem.remedy);
  }
  for (const sweep::RuleProblem& problem : found) {
    if (problem.valueless && !axes_fine) continue;
    Place place = places[at(problem.rule)];
    const bool has_columns = place.length > 0;
    if (has_columns) place.column += problem.error.offset;
    place.length = has_columns ? problem.error.length : 1;
    const std::string& unknown = problem.error.unknown_name;
    const std::vector<std::string>& known = problem.error.known.empty() ? problem.known : problem.error.known;
    problems.error(place, problem.error.what,
                   unknown.empty()
                       ? problem.error.remedy
                       : suggest(unknown, known,
                                 problem.error.known.empty() ? "use an axis, a derived name or a preset field"
                                                             : "known"));
  }
}

}  // namespace echo::config
