// NICs and switches as the packet simulator sees them: named sets of its parameters.
// Loaded from sweeps/catalog/{nics,switches}/*.toml.
#pragma once

#include <string>
#include <vector>

#include "base/id.hpp"

namespace echo::machine {

using NicId = Id<struct NicTag>;
using SwitchId = Id<struct SwitchTag>;

// A parameter of the packet simulator by its name, for one congestion control or, without one, for all.
struct PacketSetting {
  std::string control, name, value;
  friend bool operator==(const PacketSetting&, const PacketSetting&) = default;
};

// Settings of a kind of NIC or of switch. Later settings stand in place of earlier ones.
struct PacketPreset {
  std::string name, source;
  std::vector<PacketSetting> settings;
  friend bool operator==(const PacketPreset&, const PacketPreset&) = default;
};

}  // namespace echo::machine
