#include "config/catalog/publications.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "config/toml/toml_reader.hpp"

namespace echo::config {

namespace {

constexpr std::array<std::string_view, 3> measurements{"step_time_s", "peak_mem_gib", "mem_kind"};

bool holds(std::string_view cell, std::string_view fragment) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(cell.begin(), cell.end(), fragment.begin(), fragment.end(), same) != cell.end();
}

void read_where(TableReader& rule, PublishedRuns& runs) {
  const toml::table* const where = rule.table("where");
  if (where == nullptr) return;
  for (const Entry& entry : in_file_order(*where)) {
    const std::string column(entry.key->str());
    const auto* const fragment = entry.node->as_string();
    if (std::find(measurements.begin(), measurements.end(), column) != measurements.end())
      rule.problems().error(place_of(*entry.key), column + " is a measurement; it cannot identify a run",
                            "name a column that describes the run, such as reference");
    else if (fragment == nullptr || fragment->get().empty())
      rule.problems().error(place_of(*entry.node), "a fragment of a cell must be a non-empty string",
                            "write " + column + " = \"...\"");
    else
      runs.where.emplace_back(column, fragment->get());
  }
}

}  // namespace

std::vector<PublishedRuns> read_publications(const std::string& text, const std::string& file,
                                             Problems& problems) {
  std::vector<PublishedRuns> out;
  const auto root = parse_toml(text, file, problems);
  if (!root) return out;
  TableReader reader(*root, {file, 1, 1, 1}, "publications", problems);
  if (const toml::node* const list = reader.node("runs", TableReader::Presence::optional))
    for (const toml::table* const table : tables_in(*list, "runs", problems)) {
      TableReader rule(*table, place_of(*table), "runs", problems);
      PublishedRuns runs;
      std::string source;
      read_where(rule, runs);
      rule.text("framework", runs.framework, TableReader::Presence::optional);
      rule.text("gpu", runs.gpu, TableReader::Presence::optional);
      rule.text("cluster", runs.cluster, TableReader::Presence::optional);
      rule.text("source", source);
      rule.finish();
      out.push_back(std::move(runs));
    }
  reader.finish();
  return out;
}

bool matches(const PublishedRuns& runs, const CsvTable& table, std::size_t row) {
  return std::all_of(runs.where.begin(), runs.where.end(),
                     [&](const auto& one) { return holds(table.text(row, one.first), one.second); });
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

std::string published_gpu(const std::vector<PublishedRuns>& known, const CsvTable& table, std::size_t row,
                          std::string otherwise) {
  return first_of(known, &PublishedRuns::gpu, table, row, std::move(otherwise));
}

std::string published_cluster(const std::vector<PublishedRuns>& known, const CsvTable& table,
                              std::size_t row) {
  return first_of(known, &PublishedRuns::cluster, table, row, "");
}

}  // namespace echo::config
