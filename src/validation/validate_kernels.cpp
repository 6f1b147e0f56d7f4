// Every row is priced with the constants of its GPU and library at the clocks of a micro-benchmark. Accuracy
// is claimed for the shapes that training has (`in_region`); the other rows are scored too, apart.
#include "validation/validate_kernels.hpp"

#include <fmt/format.h>

#include <iterator>

#include "base/at.hpp"
#include "base/named_table.hpp"
#include "config/measured/measured_kernels.hpp"
#include "kernels/database/measured_row.hpp"
#include "text/csv_cell.hpp"

namespace echo::validation {

namespace {

using config::MeasuredKernel;

struct Prediction {
  bool priced = false;                 // else it is not scored
  double measured = 0, predicted = 0;  // seconds, or efficiency
  ops::Grade grade = ops::Grade::modelled;
  double error = 0;                                             // that the price claims, relative
  ops::KernelLibrary constants = ops::KernelLibrary::training;  // whose they are
};

// Time is inverse to efficiency.
Prediction predict(const MeasuredKernel& row, const config::CatalogInputs& presets) {
  Prediction out;
  const bool is_efficiency = row.efficiency > 0.0;
  out.measured = is_efficiency ? row.efficiency : row.seconds;
  if (!row.skipped.empty()) return out;
  const machine::GpuSpec& gpu = presets.catalog.gpus[at(row.gpu)];
  const std::int32_t found = find_named(presets.calibration.kernels, gpu.kernels);
  if (found < 0) return out;
  const kernels::KernelConstants& all = presets.calibration.kernels[at(found)];
  const ops::KernelPrice price = kernels::price_row(row.key, row.scope, gpu, all);
  const double seconds = to_seconds(price.alone);
  out.predicted = is_efficiency ? row.efficiency * row.seconds / seconds : seconds;
  out.priced = true, out.grade = price.grade, out.error = price.error;
  if (kernels::has_own_constants(row.key, all)) out.constants = row.key.library;
  return out;
}

std::string why_skipped(const MeasuredKernel& row, const Prediction& p) {
  if (p.priced) return "";
  return row.skipped.empty() ? "no kernel constants for gpu " + row.gpu_name : row.skipped;
}

struct Scores {
  std::vector<accuracy::Comparison> claimed, all;
  std::map<std::string, int> skipped;
  std::map<std::string, int> lent;  // rows by library and GPU that are scored with the training constants
};

void add_score(const MeasuredKernel& row, const Prediction& p, Scores& out) {
  if (!p.priced) {
    ++out.skipped[why_skipped(row, p)];
    return;
  }
  accuracy::Comparison one{row.gpu_name + " " + row.library + " " + row.stratum, p.measured, p.predicted};
  if (p.constants == ops::KernelLibrary::training) ++out.lent[row.library + " on " + row.gpu_name];
  if (row.in_region) out.claimed.push_back(one);
  out.all.push_back(std::move(one));
}

std::string as_text(std::size_t rows, const config::KernelTableForm& form, const Scores& scores) {
  const std::string region = form.region;
  std::string out;
  if (!region.empty()) out += error_table_text(region, scores.claimed) + "\n";
  out += error_table_text("all rows", scores.all) + "\n";
  out += fmt::format("{} rows read, {} scored\n", rows, scores.all.size());
  out += skipped_text(scores.skipped);
  for (const auto& [whose, count] : scores.lent)
    out += fmt::format("scored with the constants for training, for want of its own: {} (rows: {})\n", whose,
                       count);
  if (!region.empty()) out += "Accuracy is claimed for " + region + ".\n";
  return out +
         fmt::format(
             "Errors are absolute percentage errors of the predicted {}; bias is the mean of predicted / "
             "measured - 1.\n",
             form.kind == config::KernelTable::training_efficiency ? "efficiency" : "time");
}

void add_json(text::Json& json, std::size_t rows, const config::KernelTableForm& form, const Scores& scores) {
  json.member("table", form.name).member("rows", rows).member("region", form.region);
  for (const auto& [name, comparisons] : {std::pair{"claimed", &scores.claimed}, {"all", &scores.all}}) {
    json.key(name).open_object();
    add_errors(json, accuracy::summarise(*comparisons));
    json.key("by").open_object();
    add_errors_by_group(json, accuracy::summarise_by_group(*comparisons));
    json.close().close();
  }
  add_skipped(json, scores.skipped);
  json.key("with_training_constants").open_object();
  for (const auto& [whose, count] : scores.lent) json.member(whose, count);
  json.close();
}

constexpr const char* csv_header =
    "file,line,gpu,library,stratum,kernel,precision,layout,m,n,k,batch,groups,value_dim,tokens,flops,bytes,"
    "status,reason,seconds,quantity,measured,predicted,ratio,in_region,grade,error,constants\n";

void add_csv(const std::string& file, const MeasuredKernel& row, const Prediction& p, std::string& out) {
  const ops::KernelKey& key = row.key;
  const auto name = [](const auto& names, auto value) { return names.at(at(value)); };
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{},{},{},{},{},", file, row.line, text::csv_cell(row.gpu_name),
                 text::csv_cell(row.library), text::csv_cell(row.stratum));
  fmt::format_to(to, "{},{},{},{},{},{},{},{},{},{},{:.6g},{},", ops::name_of(key.kind),
                 name(machine::precision_names, key.precision), name(ops::gemm_layout_names, key.layout),
                 key.m, key.n, key.k, key.batch, key.groups, key.value_dim, row.tokens,
                 ops::flops_of(key).value, ops::traffic_of(key).value);
  fmt::format_to(to, "{},{},{:.6g},{},{:.6g},", p.priced ? "ok" : "skipped",
                 text::csv_cell(why_skipped(row, p)), row.seconds,
                 row.efficiency > 0.0 ? "efficiency" : "seconds", p.measured);
  if (p.priced)
    fmt::format_to(to, "{:.6g},{:.6g},{},{},{:.3g},{}\n", p.predicted, p.predicted / p.measured,
                   row.in_region ? 1 : 0, name(ops::grade_names, p.grade), p.error,
                   name(ops::kernel_library_names, p.constants));
  else
    fmt::format_to(to, ",,{},,,\n", row.in_region ? 1 : 0);
}

}  // namespace

ValidatedTable validate_kernels(const std::vector<MeasuredKernel>& rows, config::KernelTable kind,
                                const std::string& file, const config::CatalogInputs& presets,
                                const ValidateOptions& options) {
  const config::KernelTableForm& form = config::form_of(kind);
  const auto predictions = options.shares.predict<Prediction>(
      rows.size(), [&](std::size_t i) { return predict(rows[i], presets); });
  Scores scores;
  ValidatedTable out;
  if (options.wants_csv) out.csv_header = csv_header;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    add_score(rows[i], predictions[i], scores);
    if (options.wants_csv) add_csv(text::csv_cell(file), rows[i], predictions[i], out.csv);
  }
  out.file = file, out.form = form.name, out.rows = rows.size();
  out.claimed = accuracy::summarise(scores.claimed), out.all = accuracy::summarise(scores.all);
  out.claimed_rows = scores.claimed;
  out.by["group"] = accuracy::summarise_by_group(scores.all);
  out.text = as_text(rows.size(), form, scores);
  out.add_members = [read = rows.size(), &form, scores](text::Json& json) {
    add_json(json, read, form, scores);
  };
  return out;
}

}  // namespace echo::validation
