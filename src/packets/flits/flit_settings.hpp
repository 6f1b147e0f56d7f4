// Settings of a run of the flit simulator, with the names and defaults of BookSim 2.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace echo::packets {

struct FlitSettings {
  double virtual_channels = 4, buffer_flits = 8,
         packet_flits = 1;  // buffer: of one virtual channel of an input
  double credit_delay = 0, routing_delay = 1, crossbar_delay = 1;  // cycles
  double internal_speedup = 1, waits_for_tail_credit = 0, matching_rounds = 1;
  double sample_period = 1000, warmup_periods = 3, most_samples = 10, latency_limit = 500, seed = 0;
  double injection_rate = 0.1;    // flits of a node in a cycle
  bool seeks_throughput = false;  // goes on where latencies grow past the limit
};

struct FlitSettingInfo {
  const char *name, *note;
  double FlitSettings::*field;
  double least, most;
  bool is_whole;
};
[[nodiscard]] std::span<const FlitSettingInfo> flit_setting_table();

// Throws UserError where the name is unknown or the value not admitted.
void set_flit_setting(FlitSettings&, std::string_view name, std::string_view value);

}  // namespace echo::packets
