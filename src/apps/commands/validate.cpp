// echo-sweep validate FILE.csv: predicts each measured row of a table and says how wrong the predictions are.
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "apps/command.hpp"
#include "apps/json.hpp"
#include "apps/show_quantity.hpp"
#include "apps/text_table.hpp"
#include "base/csv.hpp"
#include "config/catalog_files.hpp"
#include "config/measured_steps.hpp"
#include "simulate/simulate.hpp"
#include "validate/error_table.hpp"

namespace echo::apps {

namespace {

struct Prediction {
  std::string row, source, stratum, skipped;
  std::optional<double> measured, predicted, memory_measured, memory_predicted;  // s, GiB
};

Prediction predict(const config::MeasuredStep& step, const simulate::Catalog& catalog,
                   const simulate::Calibration& known, simulate::Workspace& workspace) {
  Prediction out{step.row,          step.source, step.stratum,         step.skipped,
                 step.step_seconds, {},          step.peak_memory_gib, {}};
  if (!step.config) return out;
  const simulate::StepReport report = simulate::simulate(*step.config, catalog, known, workspace);
  if (report.status != training::Status::ok) {
    out.skipped = simulate::why_unsupported(*step.config, catalog);
    return out;
  }
  out.predicted = to_seconds(report.step);
  out.memory_predicted = static_cast<double>(report.memory_peak.value) / static_cast<double>((1_GiB).value);
  return out;
}

std::string cell(const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : ""; }

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

void write_csv(const std::string& path, const std::vector<Prediction>& rows) {
  std::ofstream out(path);
  out << "row,status,reason,measured,predicted,ratio,mem_measured,mem_predicted\n";
  for (const Prediction& p : rows) {
    const bool both = p.measured && p.predicted;
    out << quoted(p.row) << ',' << (p.skipped.empty() ? "ok" : "skipped") << ',' << quoted(p.skipped) << ','
        << cell(p.measured) << ',' << cell(p.predicted) << ','
        << cell(both ? std::optional(*p.predicted / *p.measured) : std::nullopt) << ','
        << cell(p.memory_measured) << ',' << cell(p.memory_predicted) << '\n';
  }
  out.flush();
  if (!out) throw UserError("cannot write " + path, "check the path, its permissions and free space", 5);
}

void add_json(Json& json, const validate::ErrorSummary& s) {
  json.member("scored", s.scored).member("median_ape", s.median_ape).member("mean_ape", s.mean_ape);
  json.member("p90_ape", s.p90_ape).member("bias", s.bias);
}

struct Scores {
  std::vector<validate::Comparison> by_stratum, by_source, memory_by_source;
  std::map<std::string, int> skipped;
};

Scores score(const std::vector<Prediction>& rows) {
  Scores out;
  for (const Prediction& p : rows) {
    if (!p.skipped.empty()) {
      ++out.skipped[p.skipped];
      continue;
    }
    if (!p.measured) {
      ++out.skipped["no measurement"];  // predicted all the same
      continue;
    }
    out.by_stratum.push_back({p.stratum, *p.measured, *p.predicted});
    out.by_source.push_back({p.source, *p.measured, *p.predicted});
    if (p.memory_measured && p.memory_predicted)
      out.memory_by_source.push_back({p.source, *p.memory_measured, *p.memory_predicted});
  }
  return out;
}

std::string as_json(std::size_t rows, const Scores& scores) {
  Json json;
  json.open_object().member("rows", rows);
  add_json(json, validate::summarise(scores.by_stratum));
  json.key("skipped").open_object();
  for (const auto& [reason, count] : scores.skipped) json.member(reason, count);
  json.close().key("by").open_object();
  for (const auto& [name, groups] :
       {std::pair{"source", &scores.by_source}, {"stratum", &scores.by_stratum}}) {
    json.key(name).open_object();
    for (const auto& [group, summary] : validate::summarise_by_group(*groups)) {
      json.key(group).open_object();
      add_json(json, summary);
      json.close();
    }
    json.close();
  }
  return json.close().close().text();
}

std::string as_text(std::size_t rows, const Scores& scores) {
  const auto line = [](const std::string& name, const validate::ErrorSummary& s) {
    return std::vector<std::string>{name,
                                    std::to_string(s.scored),
                                    show_share(s.median_ape),
                                    show_share(s.mean_ape),
                                    show_share(s.p90_ape),
                                    fmt::format("{:+.1f} %", 100 * s.bias)};
  };
  std::string out;
  for (const auto& [name, groups] : {std::pair{"stratum", &scores.by_stratum},
                                     {"source", &scores.by_source},
                                     {"memory by source", &scores.memory_by_source}}) {
    TextTable table({"<" + std::string(name), "rows", "median", "mean", "p90", "bias"});
    for (const auto& [group, summary] : validate::summarise_by_group(*groups))
      table.add(line(group.empty() ? "(none)" : group, summary));
    table.add(line("all", validate::summarise(*groups)));
    out += table.text() + "\n";
  }
  out += fmt::format("{} rows read, {} scored\n", rows, scores.by_stratum.size());
  for (const auto& [reason, count] : scores.skipped) out += fmt::format("skipped {:5}  {}\n", count, reason);
  return out +
         "Errors are absolute percentage errors of the predicted step time (or peak memory); bias is the "
         "mean of "
         "predicted / measured - 1.\n";
}

std::function<int(Invocation&)> declare(Options& options) {
  struct Arguments {
    std::string table, csv;
    std::vector<std::string> preset_paths;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  options.argument(arguments->table, "FILE.csv", "table of measured steps, one run a row");
  options.value(arguments->csv, "--csv", "write one line per row to this file");
  options.flag(arguments->json, "--json", "print the error table as JSON");
  options.values(arguments->preset_paths, "--preset-path",
                 "folder of presets that come before the built-in ones");
  return [arguments](Invocation&) {
    const CsvTable table = CsvTable::read_file(arguments->table);
    if (!config::is_step_table(table))
      throw UserError(arguments->table + " is no table of measured steps",
                      "its header must name step_time_s; other tables are not validated yet");
    const config::CatalogInputs presets =
        config::read_catalog(config::catalog_folders(arguments->preset_paths));
    const config::MeasuredSteps steps = config::read_measured_steps(table, presets);
    simulate::Workspace workspace;
    std::vector<Prediction> rows;
    for (const config::MeasuredStep& step : steps.rows)
      rows.push_back(predict(step, steps.catalog, presets.calibration, workspace));
    if (!arguments->csv.empty()) write_csv(arguments->csv, rows);
    const Scores scores = score(rows);
    fmt::print("{}", arguments->json ? as_json(rows.size(), scores) : as_text(rows.size(), scores));
    return 0;
  };
}

}  // namespace

namespace commands {
extern const Command validate;
const Command validate{"validate", "predict each row of a table of measured steps; errors by stratum",
                       declare};
}  // namespace commands

}  // namespace echo::apps
