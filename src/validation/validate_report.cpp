#include "validation/validate_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "config/toml/did_you_mean.hpp"
#include "config/toml/read_file.hpp"
#include "validation/steps/validate_steps.hpp"

namespace echo::validation {

namespace {

bool is_steps(const ValidatedTable& table) { return table.form == "training steps"; }

// {form: rows for which accuracy is claimed}, of forms with several tables.
std::map<std::string, std::vector<accuracy::Comparison>> pooled(const std::vector<ValidatedTable>& tables) {
  std::map<std::string, std::vector<accuracy::Comparison>> out;
  std::map<std::string, int> count;
  for (const ValidatedTable& table : tables) {
    ++count[table.form];
    auto& rows = out[table.form];
    rows.insert(rows.end(), table.claimed_rows.begin(), table.claimed_rows.end());
  }
  std::erase_if(out, [&](const auto& form) { return count[form.first] < 2; });
  return out;
}

std::string summary_text(const std::vector<ValidatedTable>& tables) {
  text::TextTable out = error_columns("table");
  for (const ValidatedTable& table : tables)
    out.add(error_cells(fmt::format("{} ({})", table.file, table.form), table.claimed));
  for (const auto& [form, rows] : pooled(tables))
    out.add(error_cells("all " + form, accuracy::summarise(rows)));
  return out.text() + "of the rows for which accuracy is claimed\n";
}

bool is_scored(const std::string& expected, const ValidatedTable& table) {
  const std::size_t equals = expected.find('=');
  const std::string grouping = equals == std::string::npos ? "" : expected.substr(0, equals);
  const std::string group = equals == std::string::npos ? expected : expected.substr(equals + 1);
  return std::any_of(table.by.begin(), table.by.end(), [&](const auto& by) {
    const auto found = by.second.find(group);
    return (grouping.empty() || grouping == by.first) && found != by.second.end() && found->second.scored > 0;
  });
}

std::vector<std::string> every_stratum(const std::vector<ValidatedTable>& tables) {
  std::vector<std::string> out;
  for (const ValidatedTable& table : tables)
    if (const auto strata = table.by.find("stratum"); strata != table.by.end())
      for (const auto& [name, errors] : strata->second) out.push_back("stratum=" + name);
  return out;
}

}  // namespace

std::string report_text(const std::vector<ValidatedTable>& tables, bool details) {
  if (tables.size() == 1) return tables.front().text;
  std::string out;
  for (const ValidatedTable& table : tables)
    if (details || is_steps(table)) out += fmt::format("== {}: {}\n{}\n", table.file, table.form, table.text);
  return out + summary_text(tables);
}

std::string report_markdown(const std::vector<ValidatedTable>& tables) {
  std::string out;
  for (const ValidatedTable& table : tables) out += table.markdown;
  return out;
}

std::string report_json(const std::vector<ValidatedTable>& tables) {
  text::Json json;
  json.open_object();
  if (tables.size() == 1) {
    tables.front().add_members(json);
    return json.close().text();
  }
  json.key("tables").open_array();
  for (const ValidatedTable& table : tables) {
    json.open_object().member("file", table.file);
    table.add_members(json);
    json.close();
  }
  json.close().key("summary").open_array();
  for (const ValidatedTable& table : tables) {
    json.open_object().member("file", table.file).member("form", table.form);
    add_errors(json, table.claimed);
    json.close();
  }
  json.close().key("forms").open_object();
  for (const auto& [form, rows] : pooled(tables)) {
    json.key(form).open_object();
    add_errors(json, accuracy::summarise(rows));
    json.close();
  }
  return json.close().close().text();
}

void write_rows(const std::string& path, const std::vector<ValidatedTable>& tables) {
  for (const ValidatedTable& table : tables)
    if (table.csv_header != tables.front().csv_header)
      throw UserError("--csv cannot put tables of different kinds into one file",
                      "validate " + tables.front().file + " and " + table.file + " separately");
  std::string out = tables.front().csv_header;
  for (const ValidatedTable& table : tables) out += table.csv;
  config::write_whole_file(path, out);
}

void check_expected(const std::vector<std::string>& expected, const std::vector<ValidatedTable>& tables) {
  std::vector<Problem> problems;
  for (const std::string& name : expected)
    for (const std::string& one : name == "all" ? every_stratum(tables) : std::vector{name})
      if (std::none_of(tables.begin(), tables.end(),
                       [&](const ValidatedTable& table) { return is_scored(one, table); }))
        problems.push_back(
            {{},
             "--expect: no row of \"" + one + "\" is scored",
             "a group without rows proves nothing; see --by all and the rows that were skipped"});
  if (!problems.empty()) throw UserError(std::move(problems), 4);
}

std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    std::string word = list.substr(at, end - at);
    word.erase(0, word.find_first_not_of(' '));
    word.erase(word.find_last_not_of(' ') + 1);
    if (!word.empty()) out.push_back(std::move(word));
    at = end + 1;
  }
  return out;
}

std::vector<std::string> groupings_of(const std::string& by) {
  std::vector<std::string> known = step_grouping_names();
  std::vector<std::string> out;
  for (const std::string& name : split_list(by)) {
    if (name == "all") return known;
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UserError("--by: unknown grouping \"" + name + "\"", config::suggest(name, known, "known"));
    out.push_back(name);
  }
  return out;
}

}  // namespace echo::validation
