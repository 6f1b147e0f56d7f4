#include "explain/config_of_row.hpp"

#include <cmath>
#include <iterator>
#include <sstream>
#include <utility>

#include "base/named_table.hpp"
#include "sweep/space/config_id.hpp"
#include "timeline/schedule.hpp"

namespace echo::explain {

using results::Table;

// Settings that are counts, flags and codes: stored in the file as in the config.
static void copy_numbers(const Table& table, std::int64_t row, training::TrainingConfig& config) {
  const auto number = [&](const char* column) {
    return static_cast<std::int32_t>(table.integer(column, row));
  };
  config.degrees = {.tensor = number("tp"),
                    .pipeline = number("pp"),
                    .data = number("dp"),
                    .context = number("cp"),
                    .expert = number("ep"),
                    .expert_tensor = number("etp"),
                    .virtual_stages = number("vpp")};
  config.batch = {.global_samples = number("global_batch"),
                  .micro_samples = number("micro_batch"),
                  .sequence_tokens = number("seq_len")};
  config.recompute = static_cast<training::Recompute>(number("recompute"));
  config.zero = static_cast<training::ZeroStage>(number("zero"));
  config.zero_group = number("zero_group");
  for (const training::Choice& choice : training::recipe_choices()) {
    const std::string column(choice.name);
    const bool in_thousandths = choice.kind == training::ChoiceKind::permille;
    choice.set(config.recipe, in_thousandths
                                  ? static_cast<std::int32_t>(std::lround(table.number(column, row) * 1e3))
                                  : number(column.c_str()));
  }
  config.precision = static_cast<training::Precision>(number("precision"));
  config.overlap = {.grad_reduce = number("overlap_grad_reduce") != 0,
                    .param_gather = number("overlap_param_gather") != 0,
                    .pipeline = number("overlap_p2p") != 0,
                    .tensor = number("overlap_tp") != 0};
  config.layers.embedding_is_layer = number("embedding_is_layer") != 0;
  config.layers.loss_is_layer = number("loss_is_layer") != 0;
  config.sequence_parallel = number("sequence_parallel") != 0;
  config.flash_attention = number("flash_attention") != 0;
}

// The row's explicit layer split, if it has one, added to the catalog.
static training::LayerTableId layers_of(const Table& table, std::int64_t row,
                                        const std::vector<std::string>& layer_tables,
                                        simulate::Catalog& catalog) {
  const std::int64_t code = table.integer("layer_split", row);
  if (code < 0 || code >= std::ssize(layer_tables)) return {};
  std::istringstream text(layer_tables[static_cast<std::size_t>(code)]);
  std::vector<std::int32_t> layers;
  for (std::int32_t count = 0; text >> count;) layers.push_back(count);
  catalog.layer_tables.push_back(std::move(layers));
  return training::LayerTableId(static_cast<std::int32_t>(catalog.layer_tables.size()) - 1);
}

std::optional<training::TrainingConfig> config_of_row(const Table& table, std::int64_t row,
                                                      const std::vector<std::string>& layer_tables,
                                                      simulate::Catalog& catalog, std::string& problem) {
  const auto find = [&](const char* column, const auto& presets) {
    const std::int32_t index = find_named(presets, table.text(column, row));
    if (index < 0) problem = std::string("the catalog has no ") + column + " " + table.text(column, row);
    return index;
  };
  training::TrainingConfig config;
  config.model = training::ModelId(find("model", catalog.models));
  config.cluster = machine::ClusterId(find("cluster", catalog.clusters));
  config.gpu = machine::GpuId(find("gpu", catalog.gpus));
  config.framework = training::FrameworkId(find("framework", catalog.frameworks));
  if (table.text("schedule", row).starts_with("file:")) {
    problem = "its task order, " + table.text("schedule", row) + ", is not in the file";
    return std::nullopt;
  }
  config.schedule = training::ScheduleId(find("schedule", timeline::schedule_table()));
  if (!problem.empty()) return std::nullopt;
  if (catalog.cluster(config.cluster).gpu == config.gpu) config.gpu = machine::GpuId();
  copy_numbers(table, row, config);
  config.layers.explicit_layers = layers_of(table, row, layer_tables, catalog);
  const auto nccl_version = static_cast<std::int32_t>(table.integer("nccl_version", row));
  config.nccl_version = nccl_version == catalog.cluster(config.cluster).nccl_version ? 0 : nccl_version;
  if (sweep::config_id_of(config, catalog) != table.config_id(row)) {
    problem = "its settings have a different id in this version of the program";
    return std::nullopt;
  }
  return config;
}

}  // namespace echo::explain
