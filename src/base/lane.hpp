// The streams that one GPU runs concurrently: one of computation, the others of communication. Each executes
// in order.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace echo {

// host: copies to and from host memory, by the GPU's copy engines.
enum class Lane : std::int8_t { compute, tensor, context, expert, data, host };
inline constexpr std::int32_t lane_count = 6;

// The use of a slice of step time; the exposed times of one GPU rank sum to the step exactly.
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
