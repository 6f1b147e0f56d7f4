// Messages between workers and worker 0. Only integers and doubles: sent as bytes between machines of the
// same architecture.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

namespace echo::parallel {

// Why points are left over intentionally; most severe last.
enum class StopReason : std::int64_t { none, signal, time_budget, failures, gave_up };

// The fastest row seen: tokens per second and GPU, of those that surely enough fit the device's memory; ties
// by the smaller config.
struct Best {
  double rate = 0.0;  // 0 = none so far
  std::uint64_t config = 0;
  void see(const Best& other) {
    const bool wins = other.rate > rate || (other.rate == rate && other.config < config);
    if (wins) *this = other;
  }
};

// A request for more work, with the events since the last one.
struct Request {
  std::array<std::int64_t, 5> by_status{};
  Best best;             // of the rows since then
  std::int64_t ids = 0;  // of the finished range
  double seconds = 0.0;  // it took
  std::int64_t wants_stop = 0;
  std::int64_t gave_up = 0;  // ids it was handed stay undone
  std::int64_t is_idle = 0;  // it has no range in hand: it did not ask ahead
  std::int64_t is_last = 0;  // a report, not a question
};

struct Answer {
  // work: a range. alone: one suspect; do not ask ahead. ask_when_idle: suspects are next, finish first.
  // over.
  enum class Kind : std::int64_t { work, alone, ask_when_idle, over };
  Kind kind = Kind::over;
  std::int64_t begin = 0, end = 0;
  StopReason stopped = StopReason::none;
};

static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Answer>);

}  // namespace echo::parallel
