#include "explain/config_of_row.hpp"

#include <cmath>
#include <iterator>
#include <sstream>
#include <utility>

#include "base/at.hpp"
#include "base/named_table.hpp"
#include "sweep/space/config_id.hpp"
#include "timeline/schedule.hpp"
#include "training/axis.hpp"

namespace echo::explain {

using results::Table;

// Axes that are counts, flags, codes and ratios: the file holds them as the config does. Not those whose
// codes are of the file alone.
static void copy_numbers(const Table& table, std::int64_t row, training::TrainingConfig& config) {
  using training::Axis;
  using training::AxisKind;
  for (const training::AxisInfo& info : training::axis_table) {
    const training::AxisMember& member = training::member_of(info.axis);
    const bool of_the_file =
        info.kind == AxisKind::preset || info.axis == Axis::schedule || info.kind == AxisKind::layer_list;
    if (of_the_file || member.set == nullptr) continue;
    const std::string column(info.name);
    member.set(config, static_cast<std::int32_t>(info.kind == AxisKind::ratio
                                                     ? std::lround(table.number(column, row) * 1e3)
                                                     : table.integer(column, row)));
  }
}

// The row's explicit layer split, if it has one, added to the catalog.
static training::LayerTableId layers_of(const Table& table, std::int64_t row,
                                        const std::vector<std::string>& layer_tables,
                                        simulate::Catalog& catalog) {
  const std::int64_t code = table.integer("layer_split", row);
  if (code < 0 || code >= std::ssize(layer_tables)) return {};
  std::istringstream text(layer_tables[at(code)]);
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
  // Files before schema 1.9 know no recipes.
  if (table.find("recipe") != nullptr && table.text("recipe", row) != training::no_recipe)
    config.named_recipe = training::RecipeId(find("recipe", catalog.recipes));
  // Files before schema 1.16 know no axes of NICs and switches.
  const auto own = [&](const char* column) {
    return table.find(column) == nullptr || table.text(column, row) == training::own_preset;
  };
  if (!own("nic")) config.fabric.nic = machine::NicId(find("nic", catalog.nics));
  if (!own("switch")) config.fabric.network_switch = machine::SwitchId(find("switch", catalog.switches));
  if (table.text("schedule", row).starts_with("file:")) {
    problem = "its task order, " + table.text("schedule", row) + ", is not in the file";
    return std::nullopt;
  }
  config.schedule = training::ScheduleId(find("schedule", timeline::schedule_table()));
  if (!problem.empty()) return std::nullopt;
  if (catalog.cluster(config.cluster).gpu == config.gpu) config.gpu = machine::GpuId();
  copy_numbers(table, row, config);
  config.layers.explicit_layers = layers_of(table, row, layer_tables, catalog);
  if (config.nccl_version == catalog.cluster(config.cluster).nccl_version) config.nccl_version = 0;
  if (sweep::config_id_of(config, catalog) != table.config_id(row)) {
    problem = "its settings have a different id in this version of the program";
    return std::nullopt;
  }
  return config;
}

}  // namespace echo::explain
