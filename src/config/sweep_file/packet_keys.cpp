#include "config/sweep_file/packet_keys.hpp"

#include <toml++/toml.h>

#include "base/problems.hpp"
#include "config/toml/toml_reader.hpp"
#include "simulate/calibration.hpp"

namespace echo::config {

PacketKeys packet_keys_again(const std::string& resolved_toml) {
  PacketKeys keys{.budget = simulate::default_packet_budget, .cache = ""};
  Problems problems;
  const auto root = parse_toml(resolved_toml, "the sweep of the file", problems);
  problems.throw_if_any();
  const toml::table* const table = root ? root->get_as<toml::table>("simulate") : nullptr;
  if (table == nullptr) return keys;
  keys.budget = (*table)["packet_budget"].value_or(keys.budget);
  keys.cache = (*table)["packet_cache"].value_or(keys.cache);
  return keys;
}

}  // namespace echo::config
