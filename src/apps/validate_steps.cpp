// Each run is simulated as the table reads; memory is compared where the table has a figure.
#include "apps/validate_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "config/measured_steps.hpp"
#include "simulate/simulate.hpp"
#include "simulate/stage_memory.hpp"

namespace echo::apps {

namespace {

struct Prediction {
  std::string row, source, stratum, skipped;
  std::optional<double> measured, predicted;  // s
  std::optional<config::MeasuredMemory> memory_measured;
  std::optional<double> memory_predicted;             // the like figure, GiB
  std::optional<training::MemoryUse> memory_fullest;  // of the stage that needs most
  bool fits = true;                                   // in the GPU's memory
  bool read_to_fit = false;                           // by what the table leaves open
};

struct Knowledge {
  const config::MeasuredSteps& steps;
  const simulate::Catalog& with_memory;  // the catalog of `steps`, with the memory that GPUs have
  const simulate::Calibration& calibration;
};

double gib(Bytes bytes) { return bytes / 1_GiB; }

Bytes like_figure(const training::MemoryUse& use, config::MemoryFigure figure) {
  switch (figure) {
    case config::MemoryFigure::allocated:
      return use.allocated();
    case config::MemoryFigure::reserved:
      return use.reserved();
    case config::MemoryFigure::used:
      return use.total();
  }
  return use.total();
}

// The quantity that was measured, on the ranks it was measured on.
double like_memory(const std::vector<training::MemoryUse>& stages, const config::MeasuredMemory& measured) {
  const auto of = [&](const training::MemoryUse& use) { return like_figure(use, measured.figure); };
  if (measured.of == config::MemoryOf::ends) return gib(std::max(of(stages.front()), of(stages.back())));
  Bytes most;
  for (const training::MemoryUse& use : stages) most = std::max(most, of(use));
  return gib(most);
}

// `catalog` with the memory that GPUs have.
void predict_memory(const config::MeasuredStep& step, const training::TrainingConfig& config,
                    const simulate::Catalog& catalog, const training::RankLayout& layout, Prediction& out) {
  const auto stages = simulate::memory_of_stages(config, catalog, layout);
  out.memory_fullest = *std::max_element(stages.begin(), stages.end(),
                                         [](const auto& a, const auto& b) { return a.total() < b.total(); });
  out.fits = simulate::surely_needed(*out.memory_fullest) <= catalog.gpu(config).memory;
  if (step.peak_memory) out.memory_predicted = like_memory(stages, *step.peak_memory);
}

// Where the run would not fit, what the table leaves open was chosen otherwise; its time is predicted as the
// table reads.
Prediction predict(const config::MeasuredStep& step, const Knowledge& knowledge,
                   simulate::Workspace& workspace) {
  Prediction out{.row = step.row,
                 .source = step.source,
                 .stratum = step.stratum,
                 .skipped = step.skipped,
                 .measured = step.step_seconds,
                 .memory_measured = step.peak_memory};
  if (!step.config) return out;
  const simulate::StepReport report =
      simulate::simulate(*step.config, knowledge.steps.catalog, knowledge.calibration, workspace);
  if (report.status != training::Status::ok) {
    out.skipped = simulate::why_unsupported(*step.config, knowledge.steps.catalog);
    return out;
  }
  out.predicted = to_seconds(report.step);
  const auto readings = config::readings_of(step);
  for (std::size_t i = 0; i < readings.size() && (i == 0 || !out.fits); ++i) {
    predict_memory(step, readings[i], knowledge.with_memory, workspace.layout, out);
    out.read_to_fit = i > 0;
  }
  return out;
}

std::string cell(const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : ""; }

std::string csv_header() {
  std::string out = "row,status,reason,measured,predicted,ratio,mem_kind,mem_measured,mem_predicted,mem_fits";
  for (const std::string_view part : training::memory_part_names) out.append(",mem_").append(part);
  return out + "\n";
}

void add_csv(const Prediction& p, std::string& out) {
  const bool both = p.measured && p.predicted;
  fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{}", csv_cell(p.row),
                 p.skipped.empty() ? "ok" : "skipped", csv_cell(p.skipped), cell(p.measured),
                 cell(p.predicted), cell(both ? std::optional(*p.predicted / *p.measured) : std::nullopt),
                 p.memory_measured ? csv_cell(p.memory_measured->kind) : "",
                 cell(p.memory_measured ? std::optional(p.memory_measured->gib) : std::nullopt),
                 cell(p.memory_predicted), p.memory_fullest ? (p.fits ? "1" : "0") : "");
  for (std::size_t i = 0; i < training::memory_part_names.size(); ++i)
    out += "," + cell(p.memory_fullest ? std::optional(gib(p.memory_fullest->part[i])) : std::nullopt);
  out += '\n';
}

struct Scores {
  std::vector<validate::Comparison> by_stratum, by_source, memory_by_source, memory_by_kind;
  std::map<std::string, int> skipped;
  int memory_predicted = 0, too_full = 0, read_to_fit = 0;  // rows; of them not, or only so, fitting
};

Scores score(const std::vector<Prediction>& rows) {
  Scores out;
  for (const Prediction& p : rows) {
    if (!p.skipped.empty()) {
      ++out.skipped[p.skipped];
      continue;
    }
    out.memory_predicted += p.memory_fullest ? 1 : 0;
    out.too_full += p.fits ? 0 : 1;
    out.read_to_fit += p.read_to_fit ? 1 : 0;
    if (p.memory_measured && p.memory_predicted) {
      out.memory_by_source.push_back({p.source, p.memory_measured->gib, *p.memory_predicted});
      out.memory_by_kind.push_back({p.memory_measured->kind, p.memory_measured->gib, *p.memory_predicted});
    }
    if (!p.measured) {
      ++out.skipped["no measurement"];  // predicted all the same
      continue;
    }
    out.by_stratum.push_back({p.stratum, *p.measured, *p.predicted});
    out.by_source.push_back({p.source, *p.measured, *p.predicted});
  }
  return out;
}

void add_json(Json& json, std::size_t rows, const Scores& scores) {
  json.member("rows", rows);
  json.member("memory_predicted", scores.memory_predicted).member("memory_too_full", scores.too_full);
  json.member("memory_read_to_fit", scores.read_to_fit);
  add_errors(json, validate::summarise(scores.by_stratum));
  add_skipped(json, scores.skipped);
  json.key("by").open_object();
  for (const auto& [name, groups] : {std::pair{"source", &scores.by_source},
                                     {"stratum", &scores.by_stratum},
                                     {"memory_source", &scores.memory_by_source},
                                     {"memory_kind", &scores.memory_by_kind}}) {
    json.key(name).open_object();
    add_errors_by_group(json, *groups);
    json.close();
  }
  json.close();
}

std::string as_text(std::size_t rows, const Scores& scores) {
  std::string out;
  for (const auto& [name, groups] : {std::pair{"stratum", &scores.by_stratum},
                                     {"source", &scores.by_source},
                                     {"memory by source", &scores.memory_by_source},
                                     {"memory by kind", &scores.memory_by_kind}})
    out += error_table_text(name, *groups) + "\n";
  out += fmt::format("{} rows read, {} scored\n", rows, scores.by_stratum.size());
  out += skipped_text(scores.skipped);
  out += fmt::format(
      "{} of {} published runs would not fit their GPU; {} fit by recomputation or sharding "
      "that the table leaves open\n",
      scores.too_full, scores.memory_predicted, scores.read_to_fit);
  return out +
         "Errors are absolute percentage errors of the predicted step time (or peak memory); bias is the "
         "mean of "
         "predicted / measured - 1.\n";
}

}  // namespace

ValidatedTable validate_steps(const CsvTable& table, const std::string& file,
                              const config::CatalogInputs& presets, bool wants_csv) {
  const config::MeasuredSteps steps = config::read_measured_steps(table, presets);
  simulate::Catalog with_memory = steps.catalog;
  for (std::size_t i = 0; i < steps.gpu_memory.size(); ++i) with_memory.gpus[i].memory = steps.gpu_memory[i];
  simulate::Workspace workspace;
  std::vector<Prediction> rows;
  for (const config::MeasuredStep& step : steps.rows)
    rows.push_back(predict(step, {steps, with_memory, presets.calibration}, workspace));
  const Scores scores = score(rows);
  ValidatedTable out;
  out.file = file, out.form = "training steps", out.rows = rows.size();
  out.all = out.claimed = validate::summarise(scores.by_stratum);
  out.text = as_text(rows.size(), scores);
  if (wants_csv) {
    out.csv_header = csv_header();
    for (const Prediction& row : rows) add_csv(row, out.csv);
  }
  out.add_members = [read = out.rows, scores](Json& json) { add_json(json, read, scores); };
  return out;
}

}  // namespace echo::apps
