// The communication proxy without a GPU: one channel's time line, step by step as its first thread goes.
#include "profilers/overlap/pace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/counter_rng.hpp"
#include "profilers/overlap/proxy_tiles.hpp"

namespace echo::profilers {
namespace {

// When a channel that moves tile i in move[i] ends, by the rule of the kernel.
Picoseconds end_of(Pace pace, const std::vector<Picoseconds>& move) {
  Picoseconds now = 0;
  for (const Picoseconds each : move) {
    now = std::max(now, pace.due()) + each;
    pace.hand_over(now);
  }
  return std::max(now, pace.link_free);
}

// The same tick by tick: a FIFO that the link empties by one unit a tick. A tile is begun while no more than
// `slots` tiles are in it, and is in it once it has been moved.
Picoseconds slow_end_of(Picoseconds tile, std::int32_t slots, const std::vector<Picoseconds>& move) {
  Picoseconds in_fifo = 0, busy = 0;
  std::size_t next = 0;
  bool is_moving = false;
  for (Picoseconds now = 0;; ++now) {
    if (is_moving && busy == 0) {
      in_fifo += tile;
      is_moving = false;
    }
    while (!is_moving && next < move.size() && in_fifo <= tile * slots) {
      busy = move[next++];
      is_moving = busy > 0;
      if (!is_moving) in_fifo += tile;
    }
    if (!is_moving && next == move.size() && in_fifo == 0) return now;
    if (is_moving) --busy;
    if (in_fifo > 0) --in_fifo;
  }
}

TEST(Pace, HoldsAFastChannelToTheLink) {
  const std::vector<Picoseconds> fast(1000, 10);
  EXPECT_EQ(end_of({.tile = 1000}, fast), 10 + 1000 * 1000);  // the first tile's own time, then the link's
}

TEST(Pace, DoesNotHoldASlowChannel) {
  const std::vector<Picoseconds> slow(1000, 3000);
  EXPECT_EQ(end_of({.tile = 1000}, slow), 3000 * 1000 + 1000);
  EXPECT_EQ(end_of({.tile = 0}, slow), 3000 * 1000);
}

TEST(Pace, LetsAChannelCatchUpWithinItsSlots) {
  std::vector<Picoseconds> move(1000, 10);
  const Picoseconds alone = end_of({.tile = 1000, .slots = 8}, move);
  move[500] = 7000;  // a stall that the FIFO bridges
  EXPECT_EQ(end_of({.tile = 1000, .slots = 8}, move), alone);
  move[500] = 20000;  // and one that it does not
  const Picoseconds late = end_of({.tile = 1000, .slots = 8}, move) - alone;
  EXPECT_GT(late, 20000 - 9 * 1000 - 1);
  EXPECT_LT(late, 20000);
}

TEST(Pace, EqualsAQueueBeforeALink) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto tile = static_cast<Picoseconds>(draw(seed, 0, 0) % 20);
    const auto slots = static_cast<std::int32_t>(1 + draw(seed, 0, 1) % 8);
    std::vector<Picoseconds> move;
    for (std::uint64_t i = 0; i < 200; ++i) move.push_back(static_cast<Picoseconds>(draw(seed, 1, i) % 30));
    EXPECT_EQ(end_of({.tile = tile, .slots = slots}, move), slow_end_of(tile, slots, move))
        << "seed " << seed;
  }
}

TEST(Pace, NeverBeatsTheLinkNorTheChannel) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto tile = static_cast<Picoseconds>(draw(seed, 0, 0) % 2000);
    std::vector<Picoseconds> move;
    Picoseconds own = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      move.push_back(static_cast<Picoseconds>(draw(seed, 1, i) % 3000));
      own += move.back();
    }
    const Picoseconds end = end_of({.tile = tile}, move);
    EXPECT_GE(end, own);
    EXPECT_GE(end, tile * 200);
    EXPECT_LE(end, own + tile * 200);
  }
}

TEST(Proxy, CarriesThePayloadAtTheLinkRate) {
  for (const std::int32_t channels : {1, 2, 8, 24, 32})
    for (const double rate : {12.5e9, 100e9, 400e9}) {
      const double milliseconds = 8.0;
      const auto payload = static_cast<std::int64_t>(rate * milliseconds * 1e-3);
      const ProxyShare share = proxy_share(payload, channels);
      const std::vector<Picoseconds> fast(static_cast<std::size_t>(share.tiles), 1);
      const Pace pace{.tile = tile_time(proxy_tile_bytes, channels, rate)};
      const double end = static_cast<double>(end_of(pace, fast)) * 1e-9;
      EXPECT_GE(end, milliseconds * (1.0 - 1e-6)) << channels << " channels at " << rate;
      EXPECT_LE(end, milliseconds + static_cast<double>(pace.tile + 1) * 1e-9)
          << channels << " channels at " << rate;
      EXPECT_GE(share.tiles * proxy_tile_bytes * channels, payload);
      EXPECT_LT((share.tiles - 1) * proxy_tile_bytes * channels, payload);
    }
}

TEST(Proxy, ChannelsKeepToRegionsOfTheirOwnInsideTheArrays) {
  for (const std::int32_t channels : {1, 3, 32, 128}) {
    const ProxyShare share = proxy_share(std::int64_t{1} << 34, channels);
    std::set<std::int64_t> starts;
    for (std::int32_t channel = 0; channel < channels; ++channel)
      for (std::int64_t tile = 0; tile < share.region_tiles; ++tile) {
        const std::int64_t first = proxy_vector(channel, tile, share.region_tiles);
        EXPECT_TRUE(starts.insert(first).second);
        EXPECT_EQ(first % proxy_tile_vectors, 0);
        EXPECT_EQ(first, proxy_vector(channel, tile + share.region_tiles, share.region_tiles));
      }
    EXPECT_GE(*starts.begin(), 0);
    EXPECT_LE((*starts.rbegin() + proxy_tile_vectors) * 16, proxy_array_bytes);
  }
}

}  // namespace
}  // namespace echo::profilers
