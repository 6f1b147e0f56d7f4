#include "config/catalog/fitted/setting_file.hpp"

#include <toml++/toml.h>

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

// Reads the tables of [constants].
class Constants {
 public:
  Constants(const toml::table& table, const std::string& file, Problems& problems)
      : table_(table), all_(table, place_of(table), "constants of \"" + file + "\"", problems) {}

  void read(const char* name, Range range, double& value) { read(name, range, value, nullptr); }
  void read(const char* name, Loss& loss) { read(name, share, loss.value, &loss.error); }
  void finish() { all_.finish(); }

 private:
  void read(const char* name, Range range, double& value, double* error) {
    const toml::node* const node = table_.get(name);
    if (node == nullptr || !node->is_table()) {
      all_.ignore(name);
      all_.problems().error(node == nullptr ? all_.place() : place_of(*node),
                            "the constant \"" + std::string(name) + "\" has no value with its source",
                            "write " + std::string(name) +
                                " = { value = 0.01, error = 0.01, source = \"...\", grade = \"published\" }");
      return;
    }
    all_.ignore(name);
    TableReader one(*node->as_table(), place_of(*node), "constant \"" + std::string(name) + "\"",
                    all_.problems());
    std::string source;
    int grade = 0;
    one.real("value", range, value);
    if (error != nullptr) one.real("error", range, *error);
    one.text("source", source);
    one.choice("grade", {"measured", "published", "assumed"}, grade);
    one.finish();
  }

  const toml::table& table_;
  TableReader all_;
};

}  // namespace

SettingFile read_setting(TableReader& file) {
  SettingFile read;
  std::string text;
  file.text("name", read.name);
  for (const char* about : {"source", "date"}) file.text(about, text);
  if (const toml::table* table = file.table("constants")) {
    Constants constants(*table, read.name, file.problems());
    for (const LossField& field : losses) constants.read(field.name, read.model.*field.member);
    constants.read("contained_gpus", at_least_one, read.model.contained_gpus);
    constants.read("job_spread", share, read.model.job_spread);
    constants.finish();
  }
  file.finish();
  return read;
}

}  // namespace echo::config
