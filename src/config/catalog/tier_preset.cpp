#include "config/catalog/tier_preset.hpp"

#include <toml++/toml.h>

#include <cmath>

#include "config/catalog/preset_files.hpp"

namespace echo::config {

static machine::TierSpec read_tier_keys(TableReader& file) {
  double read = 0.0, write = 0.0, seconds = 0.0, bytes = 0.0;
  file.quantity("read_bandwidth", UnitKind::bytes_per_second, positive, read);
  file.quantity("write_bandwidth", UnitKind::bytes_per_second, positive, write);
  file.quantity("latency", UnitKind::duration, {0.0, 1e6}, seconds);
  file.quantity("capacity", UnitKind::bytes, {1.0, 1e18}, bytes, Presence::optional);
  int shared_by = 0;
  file.choice("shared_by", {machine::tier_sharing_names.begin(), machine::tier_sharing_names.end()},
              shared_by);
  return {.read = BytesPerSecond(read),
          .write = BytesPerSecond(write),
          .latency = from_seconds(seconds),
          .capacity = Bytes(std::llround(bytes)),
          .shared_by = static_cast<machine::TierSharing>(shared_by)};
}

TierPreset read_tier_preset(TableReader& file) {
  TierPreset preset;
  read_head(file, preset.name, preset.source);
  preset.tier = read_tier_keys(file);
  file.finish();
  return preset;
}

void read_tier_names(TableReader& cluster, TierNames& out) {
  for (std::size_t i = 0; i < out.name.size(); ++i) {
    const std::string_view key = machine::memory_tier_names[i + 1];
    out.place[i] = cluster.place();
    const toml::node* const node = cluster.node(key, Presence::optional);
    if (node != nullptr) out.place[i] = place_of(*node);
    if (node == nullptr || !node->is_table()) {
      cluster.text(key, out.name[i], Presence::optional);
      continue;
    }
    TableReader keys(*node->as_table(), out.place[i], std::string(key) + " of a cluster", cluster.problems());
    out.own[i] = read_tier_keys(keys);
    keys.finish();
  }
}

}  // namespace echo::config
