#include "config/catalog/packet_preset.hpp"

#include <toml++/toml.h>

#include <sstream>

#include "base/error.hpp"
#include "config/catalog/preset_files.hpp"
#include "packets/engine/parameters.hpp"

namespace echo::config {
namespace {

// { value = ... } without what it says of its source.
const toml::node& bare(const toml::node& node) {
  const toml::table* const table = node.as_table();
  const toml::node* const value = table == nullptr ? nullptr : table->get("value");
  return value == nullptr ? node : *value;
}

std::string text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* flag = node.as_boolean()) return flag->get() ? "1" : "0";
  std::ostringstream text;
  node.visit([&](const auto& value) { text << value; });
  return text.str();
}

}  // namespace

void read_packet_settings(const toml::table& table, const std::string& control, Problems& problems,
                          std::vector<machine::PacketSetting>& out) {
  for (const Entry& entry : in_file_order(table)) {
    const machine::PacketSetting setting{control, std::string(entry.key->str()), text_of(bare(*entry.node))};
    try {
      packets::Parameters tried;
      packets::set_parameter(tried, setting.name, setting.value);
      out.push_back(setting);
    } catch (const UserError& error) {
      for (const Problem& one : error.problems()) problems.error(place_of(*entry.key), one.what, one.remedy);
    }
  }
}

PacketPreset read_packet_preset(TableReader& file) {
  PacketPreset preset;
  read_head(file, preset.name, preset.source);
  if (const toml::table* all = file.table("parameters", Presence::optional))
    read_packet_settings(*all, "", file.problems(), preset.settings);
  for (const std::string_view control : machine::congestion_control_names)
    if (const toml::table* own = file.table(control, Presence::optional))
      read_packet_settings(*own, std::string(control), file.problems(), preset.settings);
  file.finish();
  return preset;
}

}  // namespace echo::config
