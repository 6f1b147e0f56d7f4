// Substitutes in tables of measured collectives for machines without a preset of their own: [[gpu_like]],
// [[cluster_named]] and [[network_like]] of the catalog's aliases.toml.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "config/measured/fabric_words.hpp"
#include "config/toml/toml_reader.hpp"

namespace echo::config {

// A GPU by a part of its name.
struct GpuLike {
  std::string part, preset;
  std::int32_t compute_capability = 0;  // 0 = as the preset
  BytesPerSecond nvlink{};              // one direction; 0 = as the preset
};
// A cluster by a part of what a table says of its network.
struct ClusterNamed {
  std::string part, preset;
};
// Constants of a network that has been measured, by how NICs are driven and the generation of the GPU.
struct NetworkLike {
  Transport transport{};
  std::int32_t generation = 0;  // compute capability / 10
  std::string network;
};

struct StandIns {
  std::vector<GpuLike> gpus;           // in file order, files of better folders first; the first match counts
  std::vector<ClusterNamed> clusters;  // in the same order
  std::vector<NetworkLike> networks;
};

// Letters and digits in upper case, as parts are compared: "H100-SXM5" -> "H100SXM5".
[[nodiscard]] std::string upper_letters(std::string_view text);

// Whether aliases.toml has a list of this name; `list` is read into `out` then.
[[nodiscard]] bool is_stand_in(std::string_view section);
void read_stand_ins(std::string_view section, const toml::node& list, StandIns& out, Problems&);

}  // namespace echo::config
