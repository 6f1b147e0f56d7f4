// Memory behind that of the host: memory_tiers/NAME.toml in the catalog. A cluster names one for each tier
// that it has, or gives its keys: cxl = "NAME", nvme = "NAME", remote = { read_bandwidth = ... }.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "config/toml/toml_reader.hpp"
#include "machine/cluster.hpp"

namespace echo::config {

struct TierPreset {
  std::string name, source;
  machine::TierSpec tier;  // of all that share it: a node's drives together
};
[[nodiscard]] TierPreset read_tier_preset(TableReader& file);

// What a cluster says of each; [its place in ClusterSpec::tiers].
struct TierNames {
  std::array<machine::TierSpec, machine::memory_tier_count - 1> own{};  // of given keys
  std::array<std::string, machine::memory_tier_count - 1> name;         // empty: none
  std::array<Place, machine::memory_tier_count - 1> place;
};
void read_tier_names(TableReader& cluster, TierNames& out);

}  // namespace echo::config
