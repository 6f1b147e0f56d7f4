#include "validation/steps/step_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <iterator>

#include "base/at.hpp"
#include "base/bottleneck.hpp"
#include "base/lane.hpp"
#include "text/csv_cell.hpp"
#include "validation/steps/step_strata.hpp"
#include "validation/validated_table.hpp"

namespace echo::validation {

namespace {

std::string cell(const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : ""; }

constexpr std::array<const char*, 3> settings_words{"assumed", "suite", "stated"};  // by SettingsFrom
constexpr std::size_t config_columns = 13;                                          // from gpu to seq_len

void add_config(const PredictedStep& row, std::string& out) {
  const config::MeasuredStep& step = row.step;
  fmt::format_to(std::back_inserter(out), ",{},{},{}", text::csv_cell(step.source),
                 text::csv_cell(step.stratum), text::csv_cell(step.model));
  if (!step.config) {
    out.append(config_columns, ',');
    return;
  }
  const training::TrainingConfig& c = row.config();
  const training::Degrees& d = c.degrees;
  fmt::format_to(std::back_inserter(out), ",{},{},{},{},{},{},{},{},{},{},{},{},{}", row.catalog.gpu(c).name,
                 row.catalog.framework(c).name, training::gpus_of(d),
                 machine::precision_names.at(at(c.precision)), d.tensor, d.pipeline, d.virtual_stages, d.data,
                 d.context, d.expert, c.batch.micro_samples, c.batch.global_samples, c.batch.sequence_tokens);
}

void add_step(const PredictedStep& row, std::string& out) {
  if (!row.is_predicted()) {
    out.append(5 + time_category_names.size() + bottleneck_names.size(), ',');
    return;
  }
  const simulate::StepReport& report = row.prediction.report;
  out += "," + fmt::format("{}", fmt::join(features_of(row), "+"));
  out += "," + (row.is_scored() ? cell(measured_mfu(row)) : "");
  for (const SimTime part : report.exposed) out += "," + cell(to_seconds(part) / row.seconds());
  for (const double share : report.bottleneck) out += "," + cell(share);
  out += fmt::format(",{},{:.6g},{}", simulate::setting_names.at(at(row.setting())), report.rel_error_p90,
                     settings_words.at(at(row.step.settings_from)));
}

}  // namespace

std::string step_csv_header() {
  std::string out =
      "row,status,reason,measured,predicted,ratio,mem_kind,mem_measured,mem_predicted,mem_fits,fit_chance";
  for (const std::string_view part : training::memory_part_names) out.append(",mem_").append(part);
  out +=
      ",source,stratum,model,gpu,framework,gpus,precision,tp,pp,vpp,dp,cp,ep,micro_batch,global_batch,seq_"
      "len,"
      "features,mfu";
  for (const std::string_view part : time_category_names) out.append(",exposed_").append(part);
  for (const std::string_view bottleneck : bottleneck_names) out.append(",driver_").append(bottleneck);
  return out + ",setting,rel_error_p90,settings\n";
}

void add_step_csv(const PredictedStep& row, std::string& out) {
  const config::MeasuredStep& step = row.step;
  const StepPrediction& p = row.prediction;
  const std::optional<double> predicted = row.is_predicted() ? std::optional(row.seconds()) : std::nullopt;
  const std::optional<double> memory = step.peak_memory ? std::optional(step.peak_memory->gib) : std::nullopt;
  fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{}", text::csv_cell(step.row),
                 row.is_predicted() ? "ok" : "skipped", text::csv_cell(row.skipped), cell(step.step_seconds),
                 cell(predicted), row.is_scored() ? cell(row.ratio()) : "",
                 step.peak_memory ? text::csv_cell(step.peak_memory->kind) : "", cell(memory),
                 cell(row.memory_gib()), p.has_memory ? (p.fits ? "1" : "0") : "",
                 cell(p.has_memory ? std::optional(p.fit_chance) : std::nullopt));
  for (const Bytes part : p.fullest.part)
    out += "," + cell(p.has_memory ? std::optional(part / 1_GiB) : std::nullopt);
  add_config(row, out);
  add_step(row, out);
  out += '\n';
}

}  // namespace echo::validation
