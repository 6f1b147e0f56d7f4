// The streams one GPU runs at once: one of computation, the others of communication. Each is in order.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace echo {

// host: copies to and from the memory of the GPU's host, by copy engines of their own.
enum class Lane : std::int8_t { compute, tensor, context, expert, data, host };
inline constexpr std::int32_t lane_count = 6;

// What a slice of step time is spent on; the exposed parts of one gpu rank sum to the step exactly.
// Order and names are the file's (`/breakdown/part`).
enum class TimeCategory : std::int8_t {
  forward,
  backward,
  recompute,
  tp_comm,
  cp_comm,
  ep_comm,
  pp_comm,
  dp_comm,
  zero_comm,
  bubble,
  slowdown,
  optimizer,
  checkpoint,
  idle,
  other
};
inline constexpr std::int32_t time_category_count = 15;
inline constexpr std::array<std::string_view, time_category_count> time_category_names{
    "forward",   "backward", "recompute", "tp_comm",   "cp_comm",    "ep_comm", "pp_comm", "dp_comm",
    "zero_comm", "bubble",   "slowdown",  "optimizer", "checkpoint", "idle",    "other"};

}  // namespace echo
