#include "validation/validate_profile.hpp"

#include <fmt/format.h>

#include <functional>
#include <iterator>
#include <map>

#include "slowdown/model.hpp"
#include "text/csv_cell.hpp"
#include "text/show_quantity.hpp"

namespace echo::validation {

namespace {

using accuracy::Comparison;
using slowdown::ProfileRow;

struct Chosen {
  std::string name;
  std::function<double(const ProfileRow&)> factor;  // of the kernel
};

Chosen chosen(const std::string& choice, const config::CatalogInputs& presets) {
  if (choice != "auto" && choice != "contention" && choice != "off")
    throw UserError("--slowdown: a table of overlaps by profile is predicted by the catalog's white box",
                    "auto, contention or off; echo-sweep slowdown evaluate judges learned models");
  const slowdown::Model model =
      choice == "off" ? slowdown::Model(slowdown::NoSlowdown{}) : presets.calibration.slowdown;
  const std::string name = choice == "off" ? "no model" : "contention";
  return {name, [model](const ProfileRow& row) {
            return predict(model, row.kernel, row.collective, row.machine).kernel;
          }};
}

struct Scores {
  std::vector<Comparison> model, none;  // by GPU and collective
};

Scores score(const std::vector<ProfileRow>& rows, const Chosen& choice, bool recommended_only) {
  Scores out;
  for (const ProfileRow& row : rows) {
    if (!row.why_not.empty() || row.beside <= 0.0 || (recommended_only && !row.recommended)) continue;
    const std::string group =
        fmt::format("{} {} {}", row.gpu, row.collective_name, row.multiplies ? "products" : "others");
    out.model.push_back({group, row.slowdown, slowdown_beside(row, choice.factor(row))});
    out.none.push_back({group, row.slowdown, 1.0});
  }
  return out;
}

std::map<std::string, int> skipped(const std::vector<ProfileRow>& rows) {
  std::map<std::string, int> out;
  for (const ProfileRow& row : rows)
    if (!row.why_not.empty()) ++out[row.why_not];
  return out;
}

std::string csv_of(const std::vector<ProfileRow>& rows, const Chosen& choice) {
  std::string out;
  for (const ProfileRow& row : rows) {
    if (!row.why_not.empty()) {
      fmt::format_to(std::back_inserter(out), "{},skipped,{},,,\n", row.number, text::csv_cell(row.why_not));
      continue;
    }
    const double predicted = slowdown_beside(row, choice.factor(row));
    fmt::format_to(std::back_inserter(out), "{},predicted,,{:.6g},{:.6g},{:.6g}\n", row.number, row.slowdown,
                   predicted, predicted / row.slowdown);
  }
  return out;
}

void add_json(text::Json& json, const std::string& name, const Scores& all, const Scores& recommended) {
  json.member("table", "overlaps").member("model", name);
  const std::pair<const char*, const std::vector<Comparison>*> parts[] = {
      {"recommended", &recommended.model},
      {"no_slowdown_recommended", &recommended.none},
      {"overlapping", &all.model},
      {"no_slowdown_overlapping", &all.none}};
  for (const auto& [key, rows] : parts) {
    json.key(key).open_object();
    add_errors(json, accuracy::summarise(*rows));
    json.close();
  }
}

}  // namespace

ValidatedTable validate_profile(const std::vector<ProfileRow>& rows, const std::string& file,
                                const std::string& choice, const config::CatalogInputs& presets,
                                const ValidateOptions& options) {
  const Chosen model = chosen(choice, presets);
  const Scores all = score(rows, model, false), recommended = score(rows, model, true);
  const auto reasons = skipped(rows);
  ValidatedTable out;
  out.file = file, out.form = "overlaps", out.rows = rows.size();
  out.all = accuracy::summarise(all.model);
  out.claimed = accuracy::summarise(recommended.model);
  out.claimed_rows = recommended.model;
  out.by["model"][model.name] = out.claimed;
  out.by["model"]["no slowdown"] = accuracy::summarise(recommended.none);
  text::TextTable table = error_columns("slowdown");
  for (const auto& [group, summary] : accuracy::summarise_by_group(recommended.model))
    table.add(error_cells(group, summary));
  table.add(error_cells(model.name + ", recommended rows", out.claimed));
  table.add(error_cells("no slowdown, recommended rows", accuracy::summarise(recommended.none)));
  table.add(error_cells(model.name + ", all rows that overlap", out.all));
  table.add(error_cells("no slowdown, all rows that overlap", accuracy::summarise(all.none)));
  out.text = table.text() + skipped_text(reasons);
  if (options.wants_csv) {
    out.csv_header = "row,status,reason,measured,predicted,ratio\n";
    out.csv = csv_of(rows, model);
  }
  out.add_members = [=](text::Json& json) {
    add_json(json, model.name, all, recommended);
    add_skipped(json, reasons);
  };
  return out;
}

}  // namespace echo::validation
