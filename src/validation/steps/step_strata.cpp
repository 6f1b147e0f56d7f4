#include "validation/steps/step_strata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "timeline/schedule.hpp"

namespace echo::validation {

namespace {

constexpr std::int32_t tile = 64;  // of a head, that kernels are made for

using Groups = std::vector<std::string>;

std::string gpu_count_band(std::int32_t gpus) {
  std::int32_t low = 1, high = 1;
  while (gpus > high && high < 4096) low = high + 1, high *= 8;
  if (gpus > high) return fmt::format("{} or more", high + 1);
  return low == high ? std::to_string(low) : fmt::format("{}-{}", low, high);
}

std::string mfu_band(double mfu) {
  const int low = std::clamp(static_cast<int>(mfu * 10.0), 0, 6) * 10;
  return low == 60 ? "60 % or more" : fmt::format("{}-{} %", low, low + 10);
}

bool is_zero_bubble(const training::TrainingConfig& config) {
  const auto schedules = timeline::schedule_table();
  const auto at = static_cast<std::size_t>(config.schedule.index());
  return at < schedules.size() && std::string_view(schedules[at]->name).starts_with("zb");
}

constexpr std::array<StepGrouping, 8> groupings{
    {{"stratum", [](const PredictedStep& row) { return Groups{row.step.stratum}; }},
     {"source", [](const PredictedStep& row) { return Groups{row.step.source}; }},
     {"gpu", [](const PredictedStep& row) { return Groups{row.catalog.gpu(row.config()).name}; }},
     {"framework", [](const PredictedStep& row) { return Groups{row.catalog.framework(row.config()).name}; }},
     {"gpus",
      [](const PredictedStep& row) {
        return Groups{gpu_count_band(training::gpus_of(row.config().degrees))};
      }},
     {"precision",
      [](const PredictedStep& row) {
        return Groups{
            std::string(machine::precision_names.at(static_cast<std::size_t>(row.config().precision)))};
      }},
     {"feature", features_of},
     {"mfu", [](const PredictedStep& row) { return Groups{mfu_band(measured_mfu(row))}; }}}};

}  // namespace

std::vector<std::string> features_of(const PredictedStep& row) {
  const training::TrainingConfig& c = row.config();
  const training::Degrees& d = c.degrees;
  const training::ModelSpec& model = row.catalog.model(c.model);
  const bool selective =
      c.recompute == training::Recompute::selective || c.recompute == training::Recompute::per_op;
  const std::pair<const char*, bool> all[] = {
      {"tp", d.tensor > 1},
      {"pp", d.pipeline > 1},
      {"vpp", d.virtual_stages > 1},
      {"zero bubble", d.pipeline > 1 && is_zero_bubble(c)},
      {"cp", d.context > 1},
      {"ep", d.expert > 1},
      {"mixture", model.has_experts()},
      {"fsdp", c.zero == training::ZeroStage::parameters},
      {"full recompute", c.recompute == training::Recompute::full},
      {"selective recompute", selective},
      {"long sequence", c.batch.sequence_tokens >= long_sequence},
      {"fp8", machine::operand_bytes(c.precision) == 1.0},
      {"LoRA", c.recipe.lora_rank > 0},
      {"packed", c.recipe.packed_tokens > 0},
      {"unfused attention", !c.flash_attention},
      {"odd head size", model.query_head_dim() % tile != 0},
      {"uneven stages", d.pipeline > 1 && model.layers % training::chunks_of(c) != 0}};
  Groups out;
  for (const auto& [name, has] : all)
    if (has) out.emplace_back(name);
  if (out.empty()) out.emplace_back("plain");
  return out;
}

double measured_mfu(const PredictedStep& row) { return row.prediction.report.mfu * row.ratio(); }

std::span<const StepGrouping> step_groupings() { return groupings; }

}  // namespace echo::validation
