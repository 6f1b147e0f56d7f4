#include "config/catalog/setting_file.hpp"

#include <array>

namespace echo::config {
namespace {

using simulate::Loss;
using simulate::ProductionModel;

constexpr Range share{0.0, 1.0};

struct LossField {
  const char* name;
  Loss ProductionModel::*member;
};
constexpr std::array<LossField, 6> losses{{{"gpu_spread", &ProductionModel::gpu_spread},
                                           {"slow_nodes", &ProductionModel::slow_nodes},
                                           {"slow_node_loss", &ProductionModel::slow_node_loss},
                                           {"host_loss", &ProductionModel::host_loss},
                                           {"temperature_loss", &ProductionModel::temperature_loss},
                                           {"checkpoint_loss", &ProductionModel::checkpoint_loss}}};

void read_loss(TableReader& constants, const toml::table& table, const char* name, Loss& loss) {
  if (!constants.real(name, share, loss.value)) return;
  const toml::node* whole = table.get(name);
  if (!whole->is_table())
    return constants.problems().error(place_of(*whole), std::string(name) + " has no error",
                                      "write { value = 0.01, error = 0.01, source = \"...\" }");
  TableReader reader(*whole->as_table(), place_of(*whole), name, constants.problems());
  for (const char* about : {"value", "source", "grade"}) reader.ignore(about);
  reader.real("error", share, loss.error);
  reader.finish();
}

}  // namespace

SettingFile read_setting(TableReader& file) {
  SettingFile read;
  std::string text;
  file.text("name", read.name);
  for (const char* about : {"source", "date"}) file.text(about, text);
  if (const toml::table* table = file.table("constants")) {
    TableReader constants(*table, place_of(*table), "constants of \"" + read.name + "\"", file.problems());
    for (const LossField& field : losses) read_loss(constants, *table, field.name, read.model.*field.member);
    constants.real("contained_gpus", at_least_one, read.model.contained_gpus);
    constants.real("job_spread", share, read.model.job_spread);
    constants.finish();
  }
  file.finish();
  return read;
}

}  // namespace echo::config
