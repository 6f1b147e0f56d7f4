// echo-sweep describe [FILE]: what each column of a result file means; without FILE, of the schema.
#include <fmt/core.h>

#include <memory>

#include "apps/command.hpp"
#include "apps/json.hpp"
#include "apps/text_table.hpp"
#include "results/columns.hpp"
#include "results/read_rows.hpp"

namespace echo::apps::commands {

namespace {

struct Described {
  std::string name, role, units, description, meanings;
};

template <class Words>
std::string joined(const Words& words) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : " ") + std::string(word);
  return all;
}

std::vector<Described> columns_of(const std::string& file) {
  std::vector<Described> columns;
  if (file.empty()) {
    for (const results::Column& column : results::column_table()) {
      columns.push_back({column.path, results::name_of(column.role), column.units, column.description,
                         joined(column.meanings)});
    }
    return columns;
  }
  const results::Table table = results::read_rows(file);
  for (const auto& column : table.columns()) {
    columns.push_back({column.name, column.role, column.units, column.description, joined(column.meanings)});
  }
  return columns;
}

void print_json(const std::vector<Described>& columns) {
  Json json;
  json.open_object().member("schema_version", results::schema_version()).key("columns").open_array();
  for (const Described& column : columns) {
    json.open_object().member("name", column.name).member("role", column.role).member("units", column.units);
    json.member("description", column.description).member("meanings", column.meanings).close();
  }
  json.close().close();
  fmt::print("{}", json.text());
}

std::function<int(Invocation&)> declare(Options& options) {
  auto file = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  options.optional_argument(*file, "FILE", "result file; without it, the columns of the schema");
  options.flag(*json, "--json", "JSON on stdout");
  return [file, json](Invocation&) {
    const auto columns = columns_of(*file);
    if (*json) {
      print_json(columns);
      return 0;
    }
    TextTable text({"<column", "<role", "<units", "<meaning"});
    for (const Described& column : columns) {
      const std::string names = column.meanings.empty() ? "" : " {" + column.meanings + "}";
      text.add({column.name, column.role, column.units, column.description + names});
    }
    fmt::print("result schema {}\n{}", results::schema_version(), text.text());
    return 0;
  };
}

}  // namespace

extern const Command describe{
    .name = "describe", .summary = "what each column of a result file means", .declare = declare};

}  // namespace echo::apps::commands
