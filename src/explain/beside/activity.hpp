// What ran on one GPU, recorded or simulated, and how its time divides.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "explain/beside/kernel_role.hpp"

namespace echo::explain {

// One kernel, copy or collective. start <= end.
struct Activity {
  SimTime start{}, end{};
  SimTime issued{};       // when the host launched it; at most `start`. Simulated: `start`
  SimTime alone{-1};      // simulated: its time without slowdown; else negative
  std::int32_t lane = 0;  // stream
  KernelRole role{};
  bool backward = false;  // backward pass, or computed again for it
  std::string name;
  [[nodiscard]] SimTime length() const { return end - start; }
};

// The time from the first start to the last end. At any instant exactly one of four holds, so the four sums
// add up to `span`:
struct Usage {
  SimTime span{};
  SimTime computing{};      // at least one computation runs
  SimTime exposed{};        // communication runs, and no computation
  SimTime waiting{};        // nothing runs, though a computation is issued that runs later
  SimTime host{};           // nothing runs, and none is issued: the host is late
  SimTime communicating{};  // communication runs, exposed or not
  // [activities] the part of `computing` or `exposed` that is each one's: of those of its sort that run at an
  // instant, the instant is of the one that started first (the first in the list where several did).
  std::vector<SimTime> share;
  // [activities] of a computation: the part of its time with communication beside it; else zero.
  std::vector<SimTime> beside;

  [[nodiscard]] SimTime hidden() const { return communicating - exposed; }
};

[[nodiscard]] Usage usage_of(std::span<const Activity>);

}  // namespace echo::explain
