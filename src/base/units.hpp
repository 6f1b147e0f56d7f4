// Physical quantities that allow only dimensionally valid arithmetic.
// Simulated time is integer picoseconds: sums are order-independent and ties are real ties.
#pragma once

#include <chrono>
#include <cmath>
#include <compare>
#include <cstdint>
#include <ratio>

namespace echo {

using SimTime = std::chrono::duration<std::int64_t, std::pico>;  // exact; +-106 days

template <class Tag, class Rep>
struct Quantity {
  Rep value{};

  constexpr Quantity() = default;
  explicit constexpr Quantity(Rep raw) : value(raw) {}

  constexpr Quantity& operator+=(Quantity other) { return value += other.value, *this; }
  constexpr Quantity& operator-=(Quantity other) { return value -= other.value, *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value + b.value); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value - b.value); }
  friend constexpr Quantity operator*(Quantity a, Rep factor) { return Quantity(a.value * factor); }
  friend constexpr Quantity operator*(Rep factor, Quantity a) { return Quantity(factor * a.value); }
  friend constexpr Quantity operator/(Quantity a, Rep divisor) { return Quantity(a.value / divisor); }
  friend constexpr double operator/(Quantity a, Quantity b) {
    return static_cast<double>(a.value) / static_cast<double>(b.value);
  }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;
};

using Bytes = Quantity<struct BytesTag, std::int64_t>;
using Flops = Quantity<struct FlopsTag, double>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag, double>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondTag, double>;

// The one rounding from real seconds to picoseconds; half away from zero.
inline SimTime from_seconds(double seconds) { return SimTime(std::llround(seconds * 1e12)); }
inline SimTime from_microseconds(double microseconds) { return SimTime(std::llround(microseconds * 1e6)); }
constexpr double to_seconds(SimTime time) { return static_cast<double>(time.count()) * 1e-12; }
constexpr double to_microseconds(SimTime time) { return static_cast<double>(time.count()) * 1e-6; }

// Wire or memory time of a transfer, and execution time of arithmetic; each rounded to the picosecond once.
inline SimTime operator/(Bytes bytes, BytesPerSecond rate) {
  return from_seconds(static_cast<double>(bytes.value) / rate.value);
}
inline SimTime operator/(Flops work, FlopsPerSecond rate) { return from_seconds(work.value / rate.value); }

// A duration stretched by a dimensionless factor, rounded once.
inline SimTime scaled(SimTime time, double factor) {
  return SimTime(std::llround(static_cast<double>(time.count()) * factor));
}

constexpr Bytes operator""_KiB(unsigned long long n) { return Bytes(static_cast<std::int64_t>(n) << 10); }
constexpr Bytes operator""_MiB(unsigned long long n) { return Bytes(static_cast<std::int64_t>(n) << 20); }
constexpr Bytes operator""_GiB(unsigned long long n) { return Bytes(static_cast<std::int64_t>(n) << 30); }

}  // namespace echo
