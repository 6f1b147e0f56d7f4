// Machines and communicators the collective tests speak of.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "collective/algorithm.hpp"
#include "collective/price_collectives.hpp"
#include "tests/support/source_dir.hpp"

namespace echo::collective::testing {

using ops::CollectiveKind;
using ops::Protocol;

struct Machine {
  std::int32_t compute_capability;
  double nvlink, nic;  // GB/s
  machine::CpuVendor cpu;
};
inline constexpr Machine a100{80, 300, 25, machine::CpuVendor::amd};
inline constexpr Machine h100{90, 450, 50, machine::CpuVendor::intel};
inline constexpr Machine h800{90, 200, 50, machine::CpuVendor::intel};
inline constexpr Machine b200{100, 900, 50, machine::CpuVendor::intel};
inline constexpr Machine mi300x{80, 448, 50, machine::CpuVendor::amd};

inline machine::GroupSpan span(std::int32_t nodes, std::int32_t per_node) {
  return {.ranks = nodes * per_node, .nodes = nodes, .ranks_per_node = per_node};
}

inline machine::GroupLinks links(const Machine& m, const machine::GroupSpan& group) {
  machine::GroupLinks l;
  l.scale_up.bandwidth = BytesPerSecond(m.nvlink * 1e9);
  l.compute_capability = m.compute_capability;
  l.cpu = m.cpu;
  l.nics = 0;
  if (group.nodes > 1) {
    l.nics = group.ranks_per_node;
    l.scale_out.bandwidth = BytesPerSecond(m.nic * 1e9 * group.ranks_per_node);
  }
  return l;
}

inline ops::CollectiveEstimate estimate(const Machine& m, CollectiveKind kind, std::int64_t bytes,
                                        const machine::GroupSpan& group, std::int32_t version = 22105,
                                        const ops::CommSettings& settings = {},
                                        const NetworkConstants& constants = {}) {
  return price({kind, Bytes(bytes), group}, links(m, group), settings, version, constants);
}

inline std::string name_of(const ops::CollectiveEstimate& e) {
  return std::string(ops::name_of(e.algorithm));
}

// The catalog's constants of `name`, read by the plainest means: the text after "field = { value = ".
inline NetworkConstants catalog_constants(const std::string& name) {
  std::ifstream file(support::source_dir() + "/sweeps/catalog/networks/" + name + ".toml");
  std::stringstream text;
  text << '\n' << file.rdbuf();
  NetworkConstants k;
  k.name = name;
  for (const auto& field : network_constant_fields()) {
    const std::string key = std::string("\n") + field.name + " = { value = ";
    const std::size_t at = text.str().find(key);
    k.*field.member = at == std::string::npos ? -1.0 : std::stod(text.str().substr(at + key.size()));
  }
  return k;
}

}  // namespace echo::collective::testing
