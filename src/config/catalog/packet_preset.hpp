// NICs and switches for the packet simulator: nics/NAME.toml and switches/NAME.toml in the catalog.
#pragma once

#include <string>
#include <vector>

#include "config/toml/toml_reader.hpp"
#include "machine/packet_preset.hpp"

namespace echo::config {

// `parameters` holds what is so under every congestion control; a table with the name of one ("dcqcn"), what
// is so under that. Keys are those of `echo-sweep packets --parameters`; each value gives its source.
[[nodiscard]] machine::PacketPreset read_packet_preset(TableReader& file);

// The settings of a table, for one congestion control or (empty) all; what the packet simulator does not know
// or admit is a problem.
void read_packet_settings(const toml::table&, const std::string& control, Problems&,
                          std::vector<machine::PacketSetting>& out);

}  // namespace echo::config
