// Times of several cases of one pipeline side by side, two in each register of 16 bytes: every machine that
// this is compiled for has them, and they compute maxima of doubles but not of 64-bit integers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/units.hpp"

namespace echo::timeline {

// Picoseconds, whole numbers. Below exact_times a double holds each of them, so that sums and maxima are
// exact; sums only grow, so that a last time below it says that all before it were.
using TwoTimes [[gnu::vector_size(16)]] = double;
inline constexpr double exact_times = 0x1p53;  // 9007 s

struct TimePair {
  TwoTimes times;
};

template <std::size_t width>
struct Lanes {
  TimePair pair[width];

  [[nodiscard]] double operator[](std::size_t k) const { return pair[k / 2].times[k % 2]; }
  void set(std::size_t k, double time) { pair[k / 2].times[k % 2] = time; }
};

template <std::size_t width>
[[gnu::always_inline]] inline Lanes<width> load(const TimePair* from) {
  Lanes<width> out;
  for (std::size_t i = 0; i < width; ++i) out.pair[i] = from[i];
  return out;
}
template <std::size_t width>
[[gnu::always_inline]] inline void store(const Lanes<width>& lanes, TimePair* to) {
  for (std::size_t i = 0; i < width; ++i) to[i] = lanes.pair[i];
}
template <std::size_t width>
[[gnu::always_inline]] inline Lanes<width> latest(const Lanes<width>& a, const Lanes<width>& b) {
  Lanes<width> out;
  for (std::size_t i = 0; i < width; ++i)
    out.pair[i].times = a.pair[i].times > b.pair[i].times ? a.pair[i].times : b.pair[i].times;
  return out;
}
template <std::size_t width>
[[gnu::always_inline]] inline Lanes<width> operator+(const Lanes<width>& a, const Lanes<width>& b) {
  Lanes<width> out;
  for (std::size_t i = 0; i < width; ++i) out.pair[i].times = a.pair[i].times + b.pair[i].times;
  return out;
}
template <std::size_t width>
[[gnu::always_inline]] inline Lanes<width> operator-(const Lanes<width>& a, const Lanes<width>& b) {
  Lanes<width> out;
  for (std::size_t i = 0; i < width; ++i) out.pair[i].times = a.pair[i].times - b.pair[i].times;
  return out;
}
// One duration for all cases.
template <std::size_t width>
[[gnu::always_inline]] inline Lanes<width> operator+(const Lanes<width>& a, const TimePair& all) {
  Lanes<width> out;
  for (std::size_t i = 0; i < width; ++i) out.pair[i].times = a.pair[i].times + all.times;
  return out;
}

// The number of registers that hold this many cases.
constexpr std::size_t width_of(std::size_t cases) { return (cases + 1) / 2; }

// Case k of the times of which the first pair is `first`.
[[nodiscard]] inline double time_at(const TimePair* first, std::size_t k) {
  return first[k / 2].times[k % 2];
}
[[nodiscard]] inline double to_lane(SimTime time) { return static_cast<double>(time.count()); }
// Times from exact_times on are of a run that is given up.
[[nodiscard]] inline SimTime from_lane(double time) {
  return SimTime(static_cast<std::int64_t>(std::min(time, exact_times)));
}

// A buffer that grows, of unknown contents: what is not written takes no memory.
template <class T>
class RawBuffer {
 public:
  // Room for `count`; keeps nothing of what it held if it grows.
  [[nodiscard]] T* with_room_for(std::size_t count) {
    if (count > room_) {
      room_ = 0;  // should there be no memory
      kept_.reset();
      kept_.reset(new T[count]);
      room_ = count;
    }
    return kept_.get();
  }
  [[nodiscard]] const T* data() const { return kept_.get(); }

 private:
  std::unique_ptr<T[]> kept_;
  std::size_t room_ = 0;
};

}  // namespace echo::timeline
