// aligned() is the textbook alignment of two sequences (Needleman and Wunsch 1970): the best of a prefix of
// each follows from the best of the three shorter ones.
#include "explain/beside/match.hpp"

#include <algorithm>
#include <map>

namespace echo::explain {

namespace {

enum class Move : std::uint8_t { none, pair, leave_recorded, leave_simulated };

struct Best {
  SimTime unexplained{};
  std::int32_t pairs = 0;
  [[nodiscard]] bool beats(const Best& other) const {
    return unexplained != other.unexplained ? unexplained < other.unexplained : pairs > other.pairs;
  }
};

std::vector<std::int32_t> in_order(std::span<const Activity> all, KernelRole role, int pass) {
  std::vector<std::int32_t> out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].role == role && (pass < 0 || static_cast<int>(all[i].backward) == pass))
      out.push_back(static_cast<std::int32_t>(i));
  std::ranges::stable_sort(out, {}, [&](std::int32_t i) { return all[static_cast<std::size_t>(i)].start; });
  return out;
}

std::vector<SimTime> lengths(std::span<const Activity> all, std::span<const std::int32_t> which) {
  std::vector<SimTime> out;
  for (const std::int32_t i : which) out.push_back(all[static_cast<std::size_t>(i)].length());
  return out;
}

}  // namespace

std::vector<std::pair<std::int32_t, std::int32_t>> aligned(std::span<const SimTime> recorded,
                                                           std::span<const SimTime> simulated) {
  const std::size_t rows = recorded.size() + 1, columns = simulated.size() + 1;
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  if (static_cast<std::int64_t>(columns) > most_cells / static_cast<std::int64_t>(rows)) {
    for (std::size_t i = 0; i < std::min(rows, columns) - 1; ++i)
      pairs.emplace_back(static_cast<std::int32_t>(i), static_cast<std::int32_t>(i));
    return pairs;
  }
  std::vector<Move> moves(rows * columns, Move::none);
  std::vector<Best> before(columns), row(columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      Move& move = moves[i * columns + j];
      Best best;
      const auto offer = [&](Move one, Best from, SimTime left, bool is_pair) {
        from.unexplained += left;
        from.pairs += is_pair ? 1 : 0;
        if (move == Move::none || from.beats(best)) best = from, move = one;
      };
      if (i > 0 && j > 0) {
        const SimTime difference = recorded[i - 1] - simulated[j - 1];
        offer(Move::pair, before[j - 1], std::max(difference, -difference), true);
      }
      if (i > 0) offer(Move::leave_recorded, before[j], recorded[i - 1], false);
      if (j > 0) offer(Move::leave_simulated, row[j - 1], simulated[j - 1], false);
      row[j] = best;
    }
    std::swap(before, row);
  }
  for (std::size_t i = rows - 1, j = columns - 1; i > 0 || j > 0;) {
    const Move move = moves[i * columns + j];
    if (move != Move::leave_simulated) --i;
    if (move != Move::leave_recorded) --j;
    if (move == Move::pair) pairs.emplace_back(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j));
  }
  std::ranges::reverse(pairs);
  return pairs;
}

std::vector<Match> matched(std::span<const Activity> recorded, std::span<const Activity> simulated,
                           bool passes_known) {
  std::vector<Match> out;
  for (std::size_t role = 0; role < kernel_role_count; ++role) {
    const auto of = static_cast<KernelRole>(role);
    const bool by_pass = passes_known && !communicates(of);
    for (int pass = by_pass ? 0 : -1; pass <= (by_pass ? 1 : -1); ++pass) {
      const auto left = in_order(recorded, of, pass), right = in_order(simulated, of, pass);
      for (const auto& [i, j] : aligned(lengths(recorded, left), lengths(simulated, right)))
        out.push_back({left[static_cast<std::size_t>(i)], right[static_cast<std::size_t>(j)]});
    }
  }
  std::ranges::sort(out, {}, &Match::recorded);
  return out;
}

}  // namespace echo::explain
