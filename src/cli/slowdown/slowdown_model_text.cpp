#include "cli/slowdown/slowdown_model_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "learn/evaluate/choose.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::cli {

namespace {

using slowdown::Base;
using slowdown::FeatureSet;
using slowdown::LearnedModel;

std::string function_text(const slowdown::Regressor& function) {
  if (const auto* forest = std::get_if<slowdown::Forest>(&function))
    return forest->roots.empty() ? "nothing more"
                                 : fmt::format("{} trees of {} nodes together", forest->roots.size(),
                                               text::show_count(std::ssize(forest->nodes)));
  std::vector<std::int32_t> widths;
  const auto& layers = std::get<slowdown::Mlp>(function).layers;
  for (const slowdown::MlpLayer& layer : layers) widths.push_back(layer.inputs);
  widths.push_back(1);
  return fmt::format("a network of {} units", fmt::join(widths, " - "));
}

std::string base_text(const LearnedModel& model) {
  switch (model.base) {
    case Base::contention:
      return fmt::format(
          "the white-box model ({} SM per channel, {} of the excess of HBM demand over {}, {} of "
          "the load on memory)",
          model.contention.sm_per_channel, model.contention.memory_interference,
          model.contention.sustained_memory, model.contention.latency_under_load);
    case Base::families:
      return fmt::format("rates of {} families of kernels ({} sizes per octave)",
                         text::show_count(std::ssize(model.families.rates)), model.families.sizes_per_octave);
    case Base::none:
    case Base::direct:
      break;
  }
  return "nothing";
}

const char* base_name(Base base) {
  switch (base) {
    case Base::contention:
      return "contention";
    case Base::families:
      return "families";
    case Base::direct:
      return "direct";
    case Base::none:
      break;
  }
  return "none";
}

// As in a nested report, for kernels and for collectives.
bool beats_baselines(const std::vector<slowdown::HeldOutError>& errors) {
  const slowdown::HeldOutError* own = nullptr;
  for (const slowdown::HeldOutError& error : errors) {
    if (error.of == "this model")
      own = &error;
    else if (own == nullptr || !learn::is_beyond_doubt(error.mean - own->mean, error.doubt))
      return false;
  }
  return own != nullptr;
}

}  // namespace

std::string model_text(const LearnedModel& model, const std::string& file, std::size_t bytes) {
  const bool of_metrics = model.features == FeatureSet::metrics;
  std::string text =
      fmt::format("{}: {}, {} bytes\n", file, model.name, text::show_count(static_cast<std::int64_t>(bytes)));
  text +=
      of_metrics
          ? "features: measured metrics; for profiled kernels only, sweeps cannot use it\n"
          : "features: properties known to the simulator for any kernel and collective; sweeps can use it\n";
  if (model.base == Base::direct)
    text += fmt::format("kernels: the slowdown by {}\n", function_text(model.kernel.residual));
  else
    text += fmt::format("kernels: {}, then {}\n", base_text(model), function_text(model.kernel.residual));
  if (!of_metrics)
    text += "collectives: " +
            (model.collective ? base_text(model) + ", then " + function_text(model.collective->residual)
                              : std::string("the white-box model")) +
            "\n";
  const slowdown::Evidence& evidence = model.evidence;
  text += fmt::format(
      "trained on {} rows of dataset {} ({}), seed {}\n", text::show_count(evidence.rows), evidence.dataset,
      evidence.gpus.empty() ? "GPU unknown" : fmt::format("{}", fmt::join(evidence.gpus, ", ")),
      evidence.seed);
  for (const std::string& one : evidence.assumed) text += "assumed: " + one + "\n";
  text += "\n";
  text::TextTable errors(
      {"<on held-out rows", "<held out", "mean error", "total", "this model is better by"});
  double own = 0.0;
  for (const slowdown::HeldOutError& error : evidence.errors) {
    const bool is_own = error.of == "this model";
    if (is_own) own = error.mean;
    errors.add({error.of, error.folds, fmt::format("{:.2f} %", 100 * error.mean),
                fmt::format("{:+.2f} %", 100 * error.total),
                is_own ? "" : fmt::format("{:.2f} +- {:.2f}", 100 * (error.mean - own), 100 * error.doubt)});
  }
  if (!evidence.errors.empty()) text += errors.text();
  text += evidence.errors.empty() ? "its errors on rows it has not seen are not known\n\n"
          : beats_baselines(evidence.errors)
              ? "it beats the baselines\n\n"
              : "it does not beat the baselines, so it stays off by default\n\n";
  text::TextTable ranges({"<feature", "minimum seen", "maximum"});
  const auto names = slowdown::feature_names(model.features);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (model.ranges[i].low <= model.ranges[i].high)
      ranges.add({std::string(names[i]), fmt::format("{:.4g}", model.ranges[i].low),
                  fmt::format("{:.4g}", model.ranges[i].high)});
  return text + ranges.text();
}

std::string model_json(const LearnedModel& model, const std::string& file, std::size_t bytes) {
  text::Json json;
  json.open_object().member("file", file).member("name", model.name).member("bytes", bytes);
  json.member("features", model.features == FeatureSet::metrics ? "metrics" : "simulator");
  json.member("base", base_name(model.base)).member("families", model.families.rates.size());
  json.member("kernel", function_text(model.kernel.residual));
  json.key("collective");
  if (model.collective)
    json.value(function_text(model.collective->residual));
  else
    json.value("the white-box model");
  const slowdown::Evidence& evidence = model.evidence;
  json.member("rows", evidence.rows).member("dataset", evidence.dataset).member("seed", evidence.seed);
  json.key("gpus").open_array();
  for (const std::string& gpu : evidence.gpus) json.value(gpu);
  json.close().key("assumed").open_array();
  for (const std::string& one : evidence.assumed) json.value(one);
  json.close().key("errors").open_array();
  for (const slowdown::HeldOutError& error : evidence.errors) {
    json.open_object().member("of", error.of).member("folds", error.folds);
    json.member("mean", error.mean).member("total", error.total).member("doubt", error.doubt).close();
  }
  json.close().member("beats_baselines", beats_baselines(evidence.errors)).key("ranges").open_object();
  const auto names = slowdown::feature_names(model.features);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (model.ranges[i].low > model.ranges[i].high) continue;
    json.key(names[i]).open_array().value(model.ranges[i].low).value(model.ranges[i].high).close();
  }
  json.close().close();
  return json.text();
}

}  // namespace echo::cli
