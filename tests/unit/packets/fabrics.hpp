// Small fabrics and runs on them, for the tests of this folder.
#pragma once

#include <string>
#include <vector>

#include "base/named_table.hpp"
#include "packets/engine/simulation.hpp"

namespace echo::packets {

inline constexpr std::int64_t gigabit = 1'000'000'000;

// `hosts` hosts 0, 1, ... on one switch; 100 Gb/s and 1 us.
inline Fabric star(std::int32_t hosts, std::int64_t rate = 100 * gigabit,
                   SimTime delay = SimTime(1'000'000)) {
  Fabric fabric;
  fabric.is_switch.assign(static_cast<std::size_t>(hosts) + 1, 0);
  fabric.is_switch.back() = 1;
  for (std::int32_t host = 0; host < hosts; ++host) fabric.links.push_back({hosts, host, rate, delay, 0});
  return fabric;
}

// Leaves of `below` hosts and as many spines as `spines`, all at 100 Gb/s and 1 us.
inline Fabric leaf_spine(std::int32_t leaves, std::int32_t below, std::int32_t spines) {
  Fabric fabric;
  const std::int32_t hosts = leaves * below;
  fabric.is_switch.assign(static_cast<std::size_t>(hosts + leaves + spines), 1);
  for (std::int32_t host = 0; host < hosts; ++host) {
    fabric.is_switch[static_cast<std::size_t>(host)] = 0;
    fabric.links.push_back({hosts + host / below, host, 100 * gigabit, SimTime(1'000'000), 0});
  }
  for (std::int32_t leaf = 0; leaf < leaves; ++leaf)
    for (std::int32_t spine = 0; spine < spines; ++spine)
      fabric.links.push_back({hosts + leaves + spine, hosts + leaf, 100 * gigabit, SimTime(1'000'000), 0});
  return fabric;
}

inline const CongestionControl& control(const char* name) {
  return *congestion_control_table()[static_cast<std::size_t>(find_named(congestion_control_table(), name))];
}

struct Setting {
  const char *name, *value;
};

inline Outcome run(const Fabric& fabric, const std::vector<Flow>& flows, const char* name = "none",
                   const std::vector<Setting>& settings = {}) {
  Parameters parameters = default_parameters(name);
  for (const Setting& one : settings) set_parameter(parameters, one.name, one.value);
  return simulate_packets(fabric, Routes(fabric), flows, control(name), parameters);
}

}  // namespace echo::packets
