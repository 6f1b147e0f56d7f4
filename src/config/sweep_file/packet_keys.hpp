// What a sweep says of its packet simulator, read again for a row of its result file.
#pragma once

#include <cstdint>
#include <string>

namespace echo::config {

struct PacketKeys {
  std::int64_t budget = 0;
  std::string cache;  // as [simulate] packet_cache
};
// Those of the sweep with its overrides, as result files keep it; the program's own choices where it is silent.
[[nodiscard]] PacketKeys packet_keys_again(const std::string& resolved_toml);

}  // namespace echo::config
