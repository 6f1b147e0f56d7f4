// The alpha-beta model on existing links: a phase of transfers takes
//   T = latency * hops + bytes on the fullest link / its bandwidth
// which for regular patterns is known without enumerating the transfers. With m bytes per transfer and n
// ranks:
//   shift by d       switch, full mesh: m        ring: min(d, n-d) m (d = n/2: half goes each way)
//                    line: min(d, n-d) m, since the way round is the way back
//   both ways by d   switch, line: twice that of a shift; ring: the same; full mesh: the same, but for d =
//                    n/2
//   exchange at d    switch, full mesh: m        ring, line: d m, since 2d ranks cross the middle
//   d all pairs      switch: (n-1) m             full mesh: m     ring: sum of d m over the near half
//                    line: floor(n/2) ceil(n/2) m, at its middle
// Source: Hockney, "The communication challenge for MPP", Parallel Computing 1994 (alpha-beta); Rashidi et
// al., "ASTRA-SIM", ISPASS 2020 (dimensions). Neglected: the ranks' software, cut-through between phases.
#include "textbook/pattern.hpp"

#include <bit>

#include "base/contract.hpp"

namespace echo::textbook {
namespace {

struct Load {
  std::int64_t hops = 1, bytes = 0;
};

// Bytes on the fullest link and longest path where `near` equal paths of `hops` cross it; on a ring, paths
// of half its length are split.
Load crossed(const Dimension& d, std::int64_t hops, std::int64_t paths, std::int64_t bytes) {
  if (d.kind == DimensionKind::switched || d.kind == DimensionKind::fully_connected) return {1, bytes};
  if (d.kind == DimensionKind::ring && 2 * hops == d.size) return {hops, paths * ((bytes + 1) / 2)};
  return {hops, paths * bytes};
}

Load shift(const Dimension& d, std::int64_t distance, std::int64_t bytes) {
  const std::int64_t near = std::min(distance, d.size - distance);
  return crossed(d, d.kind == DimensionKind::line ? d.size - near : near, near, bytes);
}

Load both_ways(const Dimension& d, std::int64_t distance, std::int64_t bytes) {
  Load load = shift(d, distance, bytes);
  const bool apart = d.kind == DimensionKind::ring || d.kind == DimensionKind::fully_connected;
  if (!apart || 2 * distance == d.size) load.bytes *= 2;
  return load;
}

Load all_pairs(const Dimension& d, std::int64_t bytes) {
  const std::int64_t n = d.size, half = n / 2;
  switch (d.kind) {
    case DimensionKind::switched:
      return {1, (n - 1) * bytes};
    case DimensionKind::fully_connected:
      return {1, bytes};
    case DimensionKind::line:
      return {n - 1, half * (n - half) * bytes};
    case DimensionKind::ring:
      break;
  }
  const bool is_even = n % 2 == 0;
  const std::int64_t whole = is_even ? half * (half - 1) / 2 : half * (half + 1) / 2;
  return {half, whole * bytes + (is_even ? half * ((bytes + 1) / 2) : 0)};
}

Load scatter(const Dimension& d, std::int64_t bytes) {
  const std::int64_t n = d.size, half = n / 2;
  switch (d.kind) {
    case DimensionKind::switched:
      return {1, (n - 1) * bytes};
    case DimensionKind::fully_connected:
      return {1, bytes};
    case DimensionKind::line:
      return {n - 1, (n - 1) * bytes};
    case DimensionKind::ring:
      break;
  }
  return {half, n % 2 == 0 ? (half - 1) * bytes + (bytes + 1) / 2 : half * bytes};
}

// One port sends or receives twice where a rank has two edges of levels [first, last] on one side: two
// children, or parents in both trees, in one of which it is a leaf. The least of a level's inner ranks, 2^a,
// has the most below it. With an odd number of ranks, rank 0 is the first tree's root and no leaf of the
// second.
Load trees(const Step& s, std::int32_t ranks) {
  const auto active = [&s](std::int32_t level) { return s.first <= level && level <= s.last; };
  const std::int32_t levels = tree_levels(ranks);
  bool twice = active(0) && s.last >= 1;
  for (std::int32_t a = 1; a < levels; ++a) {
    const std::int32_t beyond = ranks - 1 - (1 << a);
    if (beyond < 1 || !active(a - 1)) continue;
    const std::int32_t right =
        std::min(a - 1, static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(beyond))) - 1);
    twice = twice || active(right);
  }
  if (ranks % 2 == 1) {
    const std::int32_t below = std::countr_zero(static_cast<std::uint32_t>(ranks - 1)) - 1;
    twice = twice || (active(levels - 1) && active(below));
  }
  return {1, (twice ? 2 : 1) * s.bytes};
}

Load load_of(const Step& s, const Dimension& d) {
  switch (s.pattern) {
    case Pattern::shift:
      return shift(d, s.distance, s.bytes);
    case Pattern::both_ways:
      return both_ways(d, s.distance, s.bytes);
    case Pattern::exchange:
      return crossed(d, s.distance, s.distance, s.bytes);
    case Pattern::binomial:
      return crossed(d, s.distance, 1, s.bytes);
    case Pattern::fold:
    case Pattern::unfold:
      ECHO_EXPECT(d.kind == DimensionKind::switched || d.kind == DimensionKind::fully_connected);
      return {1, s.bytes};
    case Pattern::all_pairs:
      return all_pairs(d, s.bytes);
    case Pattern::scatter:
      return scatter(d, s.bytes);
    case Pattern::chain:
      return crossed(d, 1, 1, s.bytes);
    case Pattern::trees_up:
    case Pattern::trees_down:
      ECHO_EXPECT(d.kind == DimensionKind::switched);
      return trees(s, d.size);
  }
  return {};
}

}  // namespace

std::int32_t tree_levels(std::int32_t ranks) {
  return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(ranks - 1)));
}

// The second tree is the first one mirrored, or with an odd number of ranks moved on by one, so that inner
// ranks of one are leaves of the other. Source: Sanders, Speck, Traeff, "Two-tree algorithms for full
// bandwidth broadcast, reduction and scan", Parallel Computing 2009.
static std::int32_t place_in(std::int32_t tree, std::int32_t rank, std::int32_t ranks) {
  if (tree == 0) return rank;
  return ranks % 2 == 0 ? ranks - 1 - rank : (rank + ranks - 1) % ranks;
}

static std::int32_t rank_at(std::int32_t tree, std::int32_t place, std::int32_t ranks) {
  if (tree == 0) return place;
  return ranks % 2 == 0 ? ranks - 1 - place : (place + 1) % ranks;
}

std::int32_t level_of(std::int32_t rank, std::int32_t ranks, std::int32_t tree) {
  const std::int32_t place = place_in(tree, rank, ranks);
  return place == 0 ? tree_levels(ranks) : std::countr_zero(static_cast<std::uint32_t>(place));
}

std::int32_t parent_of(std::int32_t rank, std::int32_t ranks, std::int32_t tree) {
  const std::int32_t place = place_in(tree, rank, ranks);
  if (place == 0) return -1;
  const std::int32_t bit = place & -place, above = (place ^ bit) | (bit << 1);
  return rank_at(tree, above < ranks ? above : place ^ bit, ranks);
}

static void add_trees(const Step& s, std::int32_t n, Phases& out) {
  for (std::int32_t tree = 0; tree < 2; ++tree) {
    for (std::int32_t i = 0; i < n; ++i) {
      const std::int32_t level = level_of(i, n, tree), parent = parent_of(i, n, tree);
      if (parent < 0 || level < s.first || level > s.last) continue;
      const bool up = s.pattern == Pattern::trees_up;
      out.transfers.push_back({up ? i : parent, up ? parent : i, s.bytes});
    }
  }
}

void add_phase(const Step& s, std::int32_t n, Phases& out) {
  const auto send = [&](std::int32_t from, std::int32_t to) { out.transfers.push_back({from, to, s.bytes}); };
  switch (s.pattern) {
    case Pattern::shift:
      for (std::int32_t i = 0; i < n; ++i) send(i, (i + s.distance) % n);
      break;
    case Pattern::both_ways:
      for (std::int32_t i = 0; i < n; ++i) send(i, (i + s.distance) % n), send(i, (i + n - s.distance) % n);
      break;
    case Pattern::exchange:
      for (std::int32_t i = 0; i < static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(n)));
           ++i)
        send(i, i ^ s.distance);
      break;
    case Pattern::binomial:
      for (std::int32_t i = 0; i < n; i += 2 * s.distance) send(i, i + s.distance);
      break;
    case Pattern::fold:
      for (std::int32_t i = 0; i + s.distance < n; ++i) send(i + s.distance, i);
      break;
    case Pattern::unfold:
      for (std::int32_t i = 0; i + s.distance < n; ++i) send(i, i + s.distance);
      break;
    case Pattern::all_pairs:
      for (std::int32_t i = 0; i < n; ++i)
        for (std::int32_t other = 1; other < n; ++other) send(i, (i + other) % n);
      break;
    case Pattern::scatter:
      for (std::int32_t i = 1; i < n; ++i) send(0, i);
      break;
    case Pattern::chain:
      for (std::int32_t i = s.first; i <= s.last; ++i) send(i, i + 1);
      break;
    case Pattern::trees_up:
    case Pattern::trees_down:
      add_trees(s, n, out);
      break;
  }
  out.close(s.repeat);
}

Cost cost_of(const Step& step, const Dimension& d) {
  const Load load = load_of(step, d);
  const SimTime wire = Bytes(load.bytes) / d.cable();
  return step.repeat * (Cost{.latency = load.hops * d.latency} + on_links(wire, d.reach));
}

}  // namespace echo::textbook
