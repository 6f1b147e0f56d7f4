// A time with its parts: its derivatives are carried through the formulas.
#pragma once

#include <algorithm>

namespace echo::collective {

// us; the parts inversely proportional to the bandwidth of either network, and latency. The rest is neither.
struct PartedTime {
  double us = 0.0, scale_up = 0.0, scale_out = 0.0, latency = 0.0;

  friend constexpr PartedTime operator+(PartedTime a, PartedTime b) {
    return {a.us + b.us, a.scale_up + b.scale_up, a.scale_out + b.scale_out, a.latency + b.latency};
  }
  constexpr PartedTime& operator+=(PartedTime other) { return *this = *this + other; }
  friend constexpr PartedTime operator*(double factor, PartedTime t) {
    return {factor * t.us, factor * t.scale_up, factor * t.scale_out, factor * t.latency};
  }
};
[[nodiscard]] constexpr PartedTime as_latency(double us) { return {.us = us, .latency = us}; }
[[nodiscard]] constexpr PartedTime as_fixed(double us) { return {.us = us}; }
[[nodiscard]] constexpr PartedTime longer(PartedTime a, PartedTime b) { return a.us < b.us ? b : a; }

// GB/s; the network whose bandwidth it is proportional to: neither if the copy rate of a thread block limits.
struct Rate {
  double value = 0.0;
  bool scale_up = false, scale_out = false;

  friend constexpr Rate operator*(Rate r, double factor) {
    return {r.value * factor, r.scale_up, r.scale_out};
  }
  friend constexpr Rate operator*(double factor, Rate r) {
    return {factor * r.value, r.scale_up, r.scale_out};
  }
  friend constexpr Rate operator/(Rate r, double divisor) {
    return {r.value / divisor, r.scale_up, r.scale_out};
  }
};
[[nodiscard]] constexpr Rate slower(Rate a, Rate b) { return b.value < a.value ? b : a; }

// Units of 1e3 bytes over GB/s are us.
[[nodiscard]] constexpr PartedTime operator/(double amount, Rate rate) {
  const double us = amount / rate.value;
  return {us, rate.scale_up ? us : 0.0, rate.scale_out ? us : 0.0, 0.0};
}

}  // namespace echo::collective
