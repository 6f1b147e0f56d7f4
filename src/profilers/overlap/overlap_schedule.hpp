// The order of cells and the total time of the measurement.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace echo::profilers {

inline constexpr std::int32_t nothing = -1;
inline constexpr std::int32_t control = -2;  // nothing again: how far two measurements of one thing differ

// One run on the GPU: a kernel over and over, communication beside it, or both.
struct Cell {
  std::int32_t kernel = nothing, communication = nothing;  // indices, or the above
  std::int32_t milliseconds = 0;                           // the communication lasts so long alone
  friend bool operator==(const Cell&, const Cell&) = default;
  friend bool operator<(const Cell& a, const Cell& b) {
    return std::tie(a.kernel, a.communication, a.milliseconds) <
           std::tie(b.kernel, b.communication, b.milliseconds);
  }
};

// How long the communication beside a kernel of this duration must last: at least ten launches, in steps of
// octaves from 4 to 64 so that few lengths have to be measured alone.
[[nodiscard]] std::int32_t milliseconds_beside(double kernel_seconds);
// Launches that last somewhat longer than that. Never so many that they fill the launch queue: they are
// queued before anything runs.
[[nodiscard]] std::int32_t launches_of(double kernel_seconds, std::int32_t milliseconds);
// The duration of a run of the cell, bookkeeping of the host included. Seconds.
[[nodiscard]] double seconds_of(const Cell&, double kernel_seconds);

// Host time a run costs besides: waiting, reading records, reading clocks. Assumed until a GPU says.
inline constexpr double seconds_between_cells = 0.004;

// Every kernel alone, alone again, and beside every case, and every case alone at each length that occurs.
[[nodiscard]] std::vector<Cell> all_cells(std::span<const double> kernel_seconds, std::int32_t cases);

struct Schedule {
  std::vector<Cell> cells;  // measured once a round
  std::int32_t rounds = 0;
  double seconds = 0.0;       // of all rounds
  std::int64_t left_out = 0;  // cells that one round has no time for
};
// As many rounds as the budget (seconds) holds, at most `most_rounds`. Where it does not hold one: the cells
// of one thing alone, and of the others as many as fit, drawn by the seed.
[[nodiscard]] Schedule fit(std::vector<Cell>, std::span<const double> kernel_seconds, double budget,
                           std::int32_t most_rounds, std::uint64_t seed);

// The order of one round, 0 ... count - 1 shuffled: what drifts with time (temperature, clocks) must not look
// like an effect of the cell.
[[nodiscard]] std::vector<std::int32_t> shuffled(std::int32_t count, std::uint64_t seed, std::uint64_t round);

}  // namespace echo::profilers
