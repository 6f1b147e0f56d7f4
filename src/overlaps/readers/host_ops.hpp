// The ops of the host, nested in each other on their threads, around a launch.
#pragma once

#include <cstdint>
#include <vector>

namespace echo::overlaps {

// Times in ns.
struct HostOp {
  std::int64_t thread = 0, start = 0, end = 0;
  std::int32_t name = 0;              // texts of the profile, as are
  std::int32_t shape = 0, types = 0;  // 0: no operand has an extent
  bool is_annotation = false;         // of communication; else an op
  std::int32_t collective = -1;       // what it says of it, of Profile::collectives
};

struct HostCall {
  std::int64_t thread = 0, start = 0;
  std::int32_t number = 0;  // the caller's
};

// [call] the ops that were running when it was made, innermost first, at most 64 of them.
[[nodiscard]] std::vector<std::vector<std::int32_t>> ops_around(const std::vector<HostOp>&,
                                                                const std::vector<HostCall>&);

}  // namespace echo::overlaps
