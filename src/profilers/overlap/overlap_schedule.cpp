#include "profilers/overlap/overlap_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/counter_rng.hpp"

namespace echo::profilers {

static constexpr std::int32_t most_launches = 256, least_launches = 8;

std::int32_t milliseconds_beside(double kernel_seconds) {
  std::int32_t milliseconds = 4;
  while (milliseconds < 64 && milliseconds * 1e-3 < 10.0 * kernel_seconds) milliseconds *= 2;
  return milliseconds;
}

std::int32_t launches_of(double kernel_seconds, std::int32_t milliseconds) {
  const double wanted = 1.15 * milliseconds * 1e-3 / kernel_seconds + 2.0;
  return static_cast<std::int32_t>(std::clamp(std::ceil(wanted), 0.0 + least_launches, 0.0 + most_launches));
}

double seconds_of(const Cell& cell, double kernel_seconds) {
  const double beside = cell.communication >= 0 ? cell.milliseconds * 1e-3 : 0.0;
  const double train =
      cell.kernel >= 0 ? kernel_seconds * launches_of(kernel_seconds, cell.milliseconds) : 0.0;
  // Both run slower together; in most cells the loss of SMs and bandwidth is at most a quarter.
  return 1.25 * std::max(beside, train) + seconds_between_cells;
}

std::vector<Cell> all_cells(std::span<const double> kernel_seconds, std::int32_t cases) {
  std::vector<Cell> cells;
  std::set<std::int32_t> lengths;
  for (std::size_t i = 0; i < kernel_seconds.size(); ++i) {
    const auto kernel = static_cast<std::int32_t>(i);
    const std::int32_t milliseconds = milliseconds_beside(kernel_seconds[i]);
    lengths.insert(milliseconds);
    for (std::int32_t beside = control; beside < cases; ++beside)
      cells.push_back({kernel, beside, milliseconds});
  }
  for (const std::int32_t milliseconds : lengths)
    for (std::int32_t beside = 0; beside < cases; ++beside) cells.push_back({nothing, beside, milliseconds});
  return cells;
}

Schedule fit(std::vector<Cell> cells, std::span<const double> kernel_seconds, double budget,
             std::int32_t most_rounds, std::uint64_t seed) {
  const auto cost = [&](const Cell& cell) {
    return seconds_of(cell, cell.kernel >= 0 ? kernel_seconds[static_cast<std::size_t>(cell.kernel)] : 0.0);
  };
  const auto is_alone = [](const Cell& cell) { return cell.kernel < 0 || cell.communication < 0; };
  double round = 0.0;
  for (const Cell& cell : cells) round += cost(cell);
  Schedule out;
  if (round <= budget) {
    out.cells = std::move(cells);
    out.rounds = std::min(most_rounds, static_cast<std::int32_t>(budget / round));
    out.seconds = round * out.rounds;
    return out;
  }
  out.rounds = 1;
  for (const Cell& cell : cells)
    if (is_alone(cell)) out.seconds += cost(cell);
  std::vector<bool> is_in(cells.size(), false);
  for (const std::int32_t i : shuffled(static_cast<std::int32_t>(cells.size()), seed, 0)) {
    const Cell& cell = cells[static_cast<std::size_t>(i)];
    if (is_alone(cell)) {
      is_in[static_cast<std::size_t>(i)] = true;
    } else if (out.seconds + cost(cell) <= budget) {
      is_in[static_cast<std::size_t>(i)] = true;
      out.seconds += cost(cell);
    }
  }
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (is_in[i]) out.cells.push_back(cells[i]);
  out.left_out = static_cast<std::int64_t>(cells.size() - out.cells.size());
  return out;
}

std::vector<std::int32_t> shuffled(std::int32_t count, std::uint64_t seed, std::uint64_t round) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (std::int32_t left = count; left > 1; --left) {
    const auto with = static_cast<std::size_t>(draw(seed, round, static_cast<std::uint64_t>(left)) %
                                               static_cast<std::uint64_t>(left));
    std::swap(order[static_cast<std::size_t>(left - 1)], order[with]);
  }
  return order;
}

}  // namespace echo::profilers
