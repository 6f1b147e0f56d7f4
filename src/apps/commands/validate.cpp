// echo-sweep validate FILE.csv...: predicts each measured row of tables and says how wrong the predictions
// are.
#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "apps/command.hpp"
#include "apps/slowdown_input.hpp"
#include "apps/validate_collectives.hpp"
#include "apps/validate_kernels.hpp"
#include "apps/validate_steps.hpp"
#include "config/measured_collectives.hpp"
#include "config/measured_steps.hpp"

namespace echo::apps {

namespace {

// Tables that the program knows, by the columns their headers must name.
UserError no_known_table(const std::string& file) {
  std::string known = "a header names, among others,\n    step_time_s  (training steps)\n    " +
                      config::collective_table_columns() + "  (collectives)";
  for (const config::KernelTableForm& form : config::kernel_table_forms()) {
    std::string columns;
    for (const char* column : form.needs)
      if (column != nullptr) columns += (columns.empty() ? "" : ", ") + std::string(column);
    known += fmt::format("\n    {}  ({})", columns, form.name);
  }
  return UserError({{{file, 1, 1, 1}, "this is no table of measurements that can be validated", known}});
}

std::vector<CsvTable> read_tables(const std::vector<std::string>& files) {
  std::vector<CsvTable> tables;
  for (const std::string& file : files) {
    tables.push_back(CsvTable::read_file(file));
    if (!config::is_step_table(tables.back()) && !config::is_collective_table(tables.back()) &&
        !config::kernel_table_of(tables.back()))
      throw no_known_table(file);
  }
  return tables;
}

ValidatedTable validate_table(const CsvTable& table, const std::string& file,
                              const config::CatalogInputs& presets, bool wants_csv) {
  if (config::is_step_table(table)) return validate_steps(table, file, presets, wants_csv);
  if (config::is_collective_table(table)) return validate_collectives(table, file, presets, wants_csv);
  return validate_kernels(table, config::kernel_table_of(table).value(), file, presets, wants_csv);
}

void write_csv(const std::string& path, const std::vector<ValidatedTable>& tables) {
  for (const ValidatedTable& table : tables)
    if (table.csv_header != tables.front().csv_header)
      throw UserError("rows of training steps, kernels and collectives do not fit one file",
                      "validate " + tables.front().file + " and " + table.file + " one by one");
  std::ofstream out(path);
  out << tables.front().csv_header;
  for (const ValidatedTable& table : tables) out << table.csv;
  out.flush();
  if (!out) throw UserError("cannot write " + path, "check the path, its permissions and free space", 5);
}

// A line for each table: of the rows for which accuracy is claimed.
std::string summary_text(const std::vector<ValidatedTable>& tables) {
  TextTable out = error_columns("table");
  for (const ValidatedTable& table : tables)
    out.add(error_cells(fmt::format("{} ({})", table.file, table.form), table.claimed));
  return out.text() + "of the rows for which accuracy is claimed\n";
}

std::string as_text(const std::vector<ValidatedTable>& tables) {
  if (tables.size() == 1) return tables.front().text;
  std::string out;
  for (const ValidatedTable& table : tables)
    out += fmt::format("== {}: {}\n{}\n", table.file, table.form, table.text);
  return out + summary_text(tables);
}

std::string as_json(const std::vector<ValidatedTable>& tables) {
  Json json;
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
  return json.close().close().text();
}

std::function<int(Invocation&)> declare(Options& options) {
  struct Arguments {
    std::vector<std::string> tables, preset_paths;
    std::string csv, slowdown = "auto";
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  options.arguments(arguments->tables, "FILE.csv",
                    "tables of measured training steps, kernels or collectives, one a row");
  options.value(arguments->csv, "--csv", "write one line per row to this file");
  options.flag(arguments->json, "--json", "print the error tables as JSON");
  options.value(
      arguments->slowdown, "--slowdown",
      "of training steps, as [simulate] slowdown of a sweep: auto, off, contention or a learned model");
  options.values(arguments->preset_paths, "--preset-path",
                 "folder of presets that come before the built-in ones");
  return [arguments](Invocation&) {
    const std::vector<CsvTable> tables = read_tables(arguments->tables);
    config::CatalogInputs presets = config::read_catalog(config::catalog_folders(arguments->preset_paths));
    const auto learned = choose_slowdown(arguments->slowdown, presets.calibration);
    const bool wants_csv = !arguments->csv.empty();
    std::vector<ValidatedTable> done;
    for (std::size_t i = 0; i < tables.size(); ++i)
      done.push_back(validate_table(tables[i], arguments->tables[i], presets, wants_csv));
    if (wants_csv) write_csv(arguments->csv, done);
    fmt::print("{}", arguments->json ? as_json(done) : as_text(done));
    return 0;
  };
}

}  // namespace

namespace commands {
extern const Command validate;
const Command validate{"validate", "predict each row of measured tables; errors by stratum", declare};
}  // namespace commands

}  // namespace echo::apps
