#include "simulate/report/rates.hpp"

#include "training/layout/multi_token.hpp"
#include "training/model.hpp"

namespace echo::simulate {

void report_rates(const training::TrainingConfig& config, const Catalog& catalog, StepReport& report) {
  const double seconds = to_seconds(report.step);
  const double tokens = static_cast<double>(config.batch.global_samples) * config.batch.sequence_tokens;
  report.tokens_per_second = tokens / seconds;
  const double peak = catalog.gpu(config).peak_of(config.precision).value * training::gpus_of(config.degrees);
  const training::ModelSpec& model = catalog.model(config.model);
  const std::int32_t samples = config.batch.global_samples, length = config.batch.sequence_tokens;
  const auto flops = config.recipe.lora_rank > 0 ? training::frozen_model_flops : training::model_flops;
  // Attention in packed documents does not cross their borders.
  const std::int32_t packed = config.recipe.packed_tokens;
  const double plain = packed == 0 || packed >= length
                           ? flops(model, samples, length)
                           : flops(model, std::int64_t{samples} * length, packed) / packed;
  report.mfu = (plain + config.recipe.mtp_layers * training::multi_token_flops(model, samples, length)) /
               (seconds * peak);
}

}  // namespace echo::simulate
