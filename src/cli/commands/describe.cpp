// echo-sweep describe [FILE]: explains the columns and groups of a result file, or of the schema if FILE is
// absent.

#include <memory>

#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "results/columns.hpp"
#include "results/read_rows.hpp"
#include "text/json.hpp"
#include "text/text_table.hpp"

namespace echo::cli::commands {

namespace {

struct Described {
  std::string name, role, units, description, meanings;
};
struct Description {
  std::string version;
  std::vector<Described> columns, groups;
};

template <class Words>
std::string joined(const Words& words) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : " ") + std::string(word);
  return all;
}

Description of_schema() {
  Description all{.version = results::schema_version(), .columns = {}, .groups = {}};
  for (const results::Column& column : results::column_table()) {
    all.columns.push_back({column.path, results::name_of(column.role), column.units, column.description,
                           joined(column.meanings)});
  }
  for (const results::Group& group : results::group_table())
    all.groups.push_back({group.path, "group", "", group.description, ""});
  return all;
}

std::string attribute(const storage::Hdf5File& file, const std::string& path, const char* name) {
  return file.has_attribute(path, name) ? file.text_attribute(path, name) : "";
}

// The descriptions stored in the file, whatever version wrote it; each group is followed by its datasets that
// are not columns.
Description of_file(const std::string& path) {
  const results::ResultFile result(path);
  const storage::Hdf5File& file = result.file();
  Description all{.version = result.state().schema_version, .columns = {}, .groups = {}};
  for (const results::ColumnInfo& column : result.columns())
    all.columns.push_back(
        {column.name, column.role, column.units, column.description, joined(column.meanings)});
  for (const results::Group& group : results::group_table()) {
    if (!file.has(group.path)) continue;
    all.groups.push_back({group.path, "group", "", attribute(file, group.path, "description"), ""});
    for (const std::string& dataset : file.datasets(group.path)) {
      if (result.find(dataset.substr(1)) != nullptr) continue;
      all.groups.push_back(
          {dataset, "", attribute(file, dataset, "units"), attribute(file, dataset, "long_name"), ""});
    }
  }
  return all;
}

void add_json(text::Json& json, const char* key, const std::vector<Described>& all) {
  json.key(key).open_array();
  for (const Described& one : all) {
    json.open_object().member("name", one.name).member("role", one.role).member("units", one.units);
    json.member("description", one.description).member("meanings", one.meanings).close();
  }
  json.close();
}

std::string text_of(const std::vector<Described>& all) {
  text::TextTable text({"<name", "<role", "<units", "<meaning"});
  for (const Described& one : all) {
    const std::string names = one.meanings.empty() ? "" : " {" + one.meanings + "}";
    text.add({one.name, one.role, one.units, one.description + names});
  }
  return text.text();
}

int run_describe(const std::string& file, bool as_json) {
  const Description all = file.empty() ? of_schema() : of_file(file);
  if (as_json) {
    text::Json json;
    json.open_object().member("schema_version", all.version);
    add_json(json, "columns", all.columns);
    add_json(json, "groups", all.groups);
    json.close();
    say("{}", json.text());
  } else {
    say("result schema {}\n{}\n{}", all.version, text_of(all.columns), text_of(all.groups));
  }
  return 0;
}

std::function<int(Invocation&)> declare_describe(Options& options) {
  auto file = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  options.optional_argument(*file, "FILE", "result file (default: the schema of this version)");
  options.flag(*json, "--json", "print JSON on stdout");
  return [file, json](Invocation&) { return run_describe(*file, *json); };
}

}  // namespace

extern const Command describe{.name = "describe",
                              .summary = "explain the columns and groups of a result file",
                              .declare = declare_describe,
                              .reads_inputs = false};

}  // namespace echo::cli::commands
