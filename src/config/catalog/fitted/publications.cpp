#include "config/catalog/fitted/publications.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>

#include "config/toml/toml_reader.hpp"

namespace echo::config {

namespace {

constexpr std::array<std::string_view, 3> measurements{"step_time_s", "peak_mem_gib", "mem_kind"};
constexpr std::array<std::string_view, 2> anywhere{"suite", "round"};
constexpr std::array<std::string_view, 6> naming{"row_id",    "source", "reference",
                                                 "framework", "task",   "model"};

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool holds(std::string_view cell, std::string_view fragment) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(cell.begin(), cell.end(), fragment.begin(), fragment.end(), same) != cell.end();
}

// One fragment, or a list of which one suffices; empty where it is neither.
std::vector<std::string> fragments_of(const toml::node& node) {
  std::vector<std::string> out;
  if (const auto* const one = node.as_string()) out.push_back(one->get());
  if (const auto* const list = node.as_array())
    for (const toml::node& one : *list)
      out.push_back(one.is_string() ? one.as_string()->get() : std::string());
  if (std::find(out.begin(), out.end(), "") != out.end()) out.clear();
  return out;
}

void read_where(TableReader& rule, PublishedRuns& runs) {
  const toml::table* const where = rule.table("where");
  if (where == nullptr) return;
  for (const Entry& entry : in_file_order(*where)) {
    const std::string column(entry.key->str());
    std::vector<std::string> fragments = fragments_of(*entry.node);
    if (is_one_of(measurements, column))
      rule.problems().error(place_of(*entry.key), column + " is a measurement; it cannot identify a run",
                            "name a column that describes the run, such as reference");
    else if (fragments.empty())
      rule.problems().error(place_of(*entry.node), "a fragment of a cell must be a non-empty string",
                            "write " + column + " = \"...\"");
    else
      runs.where.emplace_back(column, std::move(fragments));
  }
}

std::vector<std::int32_t> read_layers(const toml::node& node, Problems& problems) {
  std::vector<std::int32_t> out;
  if (const auto* const list = node.as_array())
    for (const toml::node& one : *list)
      if (const auto layers = one.value<std::int64_t>(); layers && *layers >= 0 && *layers <= 1000)
        out.push_back(static_cast<std::int32_t>(*layers));
  if (out.empty() || out.size() != node.as_array()->size())
    problems.error(place_of(node), "layer_split must be a list of numbers of layers, one per chunk",
                   "write layer_split = [4, 4, 4, 3]");
  return out;
}

}  // namespace

std::vector<PublishedRuns> read_publications(const std::string& text, const std::string& file,
                                             Problems& problems, RuleOf of) {
  std::vector<PublishedRuns> out;
  const auto root = parse_toml(text, file, problems);
  if (!root) return out;
  TableReader reader(*root, {file, 1, 1, 1}, "publications", problems);
  if (const toml::node* const list = reader.node("runs", Presence::optional))
    for (const toml::table* const table : tables_in(*list, "runs", problems)) {
      TableReader rule(*table, place_of(*table), "runs", problems);
      PublishedRuns runs;
      runs.of = of;
      std::string source;
      read_where(rule, runs);
      rule.text("framework", runs.framework, Presence::optional);
      rule.text("recipe", runs.recipe, Presence::optional);
      rule.text("gpu", runs.gpu, Presence::optional);
      rule.text("cluster", runs.cluster, Presence::optional);
      if (const toml::table* const choices = rule.table("choices", Presence::optional)) {
        TableReader chosen(*choices, place_of(*choices), "choices", problems);
        runs.choices = read_choices(chosen);
        chosen.finish();
      }
      if (std::int64_t stages = 0; rule.integer("vpp", at_least_one, stages, Presence::optional))
        runs.virtual_stages = static_cast<std::int32_t>(stages);
      if (const toml::node* const split = rule.node("layer_split", Presence::optional))
        runs.layer_split = read_layers(*split, problems);
      rule.text("source", source);
      rule.finish();
      out.push_back(std::move(runs));
    }
  reader.finish();
  return out;
}

bool matches(const PublishedRuns& runs, const CsvTable& table, std::size_t row) {
  const auto is_in = [&](std::string_view column, const std::vector<std::string>& fragments) {
    return std::any_of(fragments.begin(), fragments.end(),
                       [&](const std::string& one) { return holds(table.text(row, column), one); });
  };
  return std::all_of(runs.where.begin(), runs.where.end(), [&](const auto& one) {
    const auto& [column, fragments] = one;
    return is_one_of(anywhere, column)
               ? std::any_of(naming.begin(), naming.end(),
                             [&, &words = fragments](std::string_view name) { return is_in(name, words); })
               : is_in(column, fragments);
  });
}

static bool any_matches(RuleOf of, const std::vector<PublishedRuns>& known, const CsvTable& table,
                        std::size_t row) {
  return std::any_of(known.begin(), known.end(),
                     [&](const PublishedRuns& runs) { return runs.of == of && matches(runs, table, row); });
}

bool is_described(const std::vector<PublishedRuns>& known, const CsvTable& table, std::size_t row) {
  return any_matches(RuleOf::publication, known, table, row);
}

bool is_of_suite(const std::vector<PublishedRuns>& known, const CsvTable& table, std::size_t row) {
  return any_matches(RuleOf::suite, known, table, row);
}

static std::string first_of(const std::vector<PublishedRuns>& known, std::string PublishedRuns::*preset,
                            const CsvTable& table, std::size_t row, std::string otherwise) {
  for (const PublishedRuns& runs : known)
    if (!(runs.*preset).empty() && matches(runs, table, row)) return runs.*preset;
  return otherwise;
}

std::string published_framework(const std::vector<PublishedRuns>& known, const CsvTable& table,
                                std::size_t row, std::string otherwise) {
  return first_of(known, &PublishedRuns::framework, table, row, std::move(otherwise));
}

std::string published_recipe(const std::vector<PublishedRuns>& known, const CsvTable& table, std::size_t row,
                             std::string otherwise) {
  for (const PublishedRuns& runs : known) {
    if ((runs.framework.empty() && runs.recipe.empty()) || !matches(runs, table, row)) continue;
    return runs.recipe.empty() ? otherwise : runs.recipe;
  }
  return otherwise;
}

std::string published_gpu(const std::vector<PublishedRuns>& known, const CsvTable& table, std::size_t row,
                          std::string otherwise) {
  return first_of(known, &PublishedRuns::gpu, table, row, std::move(otherwise));
}

std::int32_t published_virtual_stages(const std::vector<PublishedRuns>& known, const CsvTable& table,
                                      std::size_t row, std::int32_t otherwise) {
  for (const PublishedRuns& runs : known)
    if (runs.virtual_stages > 0 && matches(runs, table, row)) return runs.virtual_stages;
  return otherwise;
}

std::vector<Choice> published_choices(const std::vector<PublishedRuns>& known, const CsvTable& table,
                                      std::size_t row) {
  std::vector<Choice> out;
  for (const PublishedRuns& runs : known) {
    if (runs.choices.empty() || !matches(runs, table, row)) continue;
    for (const Choice& choice : runs.choices)
      if (std::none_of(out.begin(), out.end(), [&](const Choice& one) { return one.axis == choice.axis; }))
        out.push_back(choice);
  }
  return out;
}

std::vector<std::int32_t> published_layers(const std::vector<PublishedRuns>& known, const CsvTable& table,
                                           std::size_t row, std::int32_t chunks, std::int32_t layers) {
  for (const PublishedRuns& runs : known)
    if (std::ssize(runs.layer_split) == chunks &&
        std::accumulate(runs.layer_split.begin(), runs.layer_split.end(), 0) == layers &&
        matches(runs, table, row))
      return runs.layer_split;
  return {};
}

std::string published_cluster(const std::vector<PublishedRuns>& known, const CsvTable& table,
                              std::size_t row) {
  return first_of(known, &PublishedRuns::cluster, table, row, "");
}

}  // namespace echo::config
