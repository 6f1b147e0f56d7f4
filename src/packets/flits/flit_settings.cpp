#include "packets/flits/flit_settings.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/named_table.hpp"

namespace echo::packets {

std::span<const FlitSettingInfo> flit_setting_table() {
  using S = FlitSettings;
  static const std::array<FlitSettingInfo, 15> table{{
      {"num_vcs", "virtual channels of a channel", &S::virtual_channels, 1, 64, true},
      {"vc_buf_size", "flits of an input's buffer for one virtual channel", &S::buffer_flits, 1, 65536, true},
      {"packet_size", "flits of a packet", &S::packet_flits, 1, 65536, true},
      {"injection_rate", "flits of a node in a cycle", &S::injection_rate, 0, 1e3, false},
      {"credit_delay", "cycles until a router counts a credit that came", &S::credit_delay, 0, 1000, true},
      {"routing_delay", "cycles; 0: the router before has chosen", &S::routing_delay, 0, 1000, true},
      {"st_final_delay", "cycles through the crossbar", &S::crossbar_delay, 1, 1000, true},
      {"internal_speedup", "steps of a router in a cycle of the channels", &S::internal_speedup, 0.01, 64,
       false},
      {"wait_for_tail_credit", "a virtual channel is free only when its last flit has left it",
       &S::waits_for_tail_credit, 0, 1, true},
      {"alloc_iters", "rounds of either allocator in a cycle", &S::matching_rounds, 1, 64, true},
      {"sample_period", "cycles", &S::sample_period, 1, 1e6, true},
      {"warmup_periods", "sample periods before the measurement", &S::warmup_periods, 1, 1e4, true},
      {"max_samples", "sample periods at most", &S::most_samples, 1, 1e4, true},
      {"seed", "of random destinations, injections and paths", &S::seed, 0, 1e15, true},
      {"latency_thres", "cycles on average past which a rate is not stable", &S::latency_limit, 1, 1e9,
       false},
  }};
  return table;
}

void set_flit_setting(FlitSettings& settings, std::string_view name, std::string_view value) {
  const std::int32_t row = find_named(flit_setting_table(), name);
  if (row < 0) {
    std::string names;
    for (const FlitSettingInfo& one : flit_setting_table())
      names += (names.empty() ? "" : ", ") + std::string(one.name);
    throw UserError("unknown setting \"" + std::string(name) + "\"",
                    "with --credits the settings are " + names);
  }
  const FlitSettingInfo& info = flit_setting_table()[at(row)];
  double number = 0;
  const auto result = std::from_chars(value.data(), value.data() + value.size(), number);
  if (result.ec != std::errc{} || result.ptr != value.data() + value.size() || !(number >= info.least) ||
      !(number <= info.most) || (info.is_whole && number != std::floor(number)))
    throw UserError(std::string(name) + " cannot be \"" + std::string(value) + "\"",
                    std::string("give a ") + (info.is_whole ? "whole " : "") + "number of " +
                        std::to_string(static_cast<std::int64_t>(info.least)) + " to " +
                        std::to_string(static_cast<std::int64_t>(info.most)));
  settings.*info.field = number;
}

}  // namespace echo::packets
