// A flow shop whose machines are dimensions. Where k identical chunks visit each dimension once, every order
// takes
//   T = sum of stages + (k - 1) longest stage
// An all-reduce over two dimensions returns to the first (stages a, b, c; b alone on the second). With first
// come, first served, the first dimension does all k reduce-scatters before any all-gather, so that the end
// of the gathers depends on the largest of three bottlenecks:
//   T = max(k a + k c, a + b + k c, a + b + (k - 1) max(a, b) + c)
// Everything else is scheduled event by event: the next to start is the earliest that can, on any dimension.
// Source: Rashidi et al., "Themis", ISCA 2022 (chunks over dimensions); Johnson 1954 (flow shops).
// Neglected: the cost of a chunk's start and end to the ranks.
#include "textbook/chunk_pipeline.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::textbook {
namespace {

// A time, and the chain of stages that leads to it without a gap.
struct Moment {
  SimTime at{};
  Cost path;
};

struct Chunk {
  std::size_t next = 0;  // stage
  Moment ready;
};

const Moment& later(const Moment& a, const Moment& b) { return b.at > a.at ? b : a; }

bool goes_first(SimTime ready, SimTime other, ops::ChunkQueue queue) {  // chunks are asked in order
  return queue == ops::ChunkQueue::fifo ? ready < other : ready >= other;
}

// The chunk that `dimension` serves next, and when: -1 where none waits for it now.
struct Start {
  std::int32_t chunk = -1;
  SimTime at{};
};

Start next_start(std::span<const std::vector<Stage>> stages, std::span<const Chunk> chunks,
                 std::int32_t dimension, SimTime free, ops::ChunkQueue queue) {
  const auto waits = [&](std::size_t c) {
    return chunks[c].next < stages[c].size() && stages[c][chunks[c].next].dimension == dimension;
  };
  Start start;
  bool any = false;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    if (!waits(c)) continue;
    const SimTime at = std::max(free, chunks[c].ready.at);
    start.at = any ? std::min(start.at, at) : at;
    any = true;
  }
  if (!any) return start;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    if (!waits(c) || chunks[c].ready.at > start.at) continue;
    if (start.chunk < 0 || goes_first(chunks[c].ready.at, chunks[at(start.chunk)].ready.at, queue))
      start.chunk = static_cast<std::int32_t>(c);
  }
  return start;
}

Cost longest(std::initializer_list<Cost> costs) {
  Cost best;
  for (const Cost& cost : costs)
    if (cost.time() > best.time()) best = cost;
  return best;
}

}  // namespace

Cost schedule_chunks(std::span<const std::vector<Stage>> stages, ops::ChunkQueue queue,
                     std::int32_t at_once) {
  ECHO_EXPECT(at_once >= 1);
  std::vector<Chunk> chunks(stages.size());
  std::vector<std::vector<Moment>> servers;  // [dimensions][at_once]
  std::size_t left = 0;
  for (const std::vector<Stage>& own : stages) {
    left += own.size();
    for (const Stage& stage : own) {
      ECHO_EXPECT(stage.cost.time() > SimTime::zero());
      servers.resize(std::max(servers.size(), static_cast<std::size_t>(stage.dimension) + 1),
                     std::vector<Moment>(at(at_once)));
    }
  }
  Moment end;
  for (; left > 0; --left) {
    Start first;
    std::size_t where = 0;
    for (std::size_t d = 0; d < servers.size(); ++d) {
      const SimTime free = std::ranges::min_element(servers[d], {}, &Moment::at)->at;
      const Start start = next_start(stages, chunks, static_cast<std::int32_t>(d), free, queue);
      if (start.chunk < 0 || (first.chunk >= 0 && start.at >= first.at)) continue;
      first = start;
      where = d;
    }
    const auto c = static_cast<std::size_t>(first.chunk);
    const Stage& stage = stages[c][chunks[c].next];
    Moment& server = *std::ranges::min_element(servers[where], {}, &Moment::at);
    const Moment from = later(chunks[c].ready, server);
    chunks[c].ready = {from.at + stage.cost.time(), from.path + stage.cost};
    server = {chunks[c].ready.at - stage.early.time(), chunks[c].ready.path + -1 * stage.early};
    ++chunks[c].next;
    end = later(end, chunks[c].ready);
  }
  return end.path;
}

std::optional<Cost> chunks_alike(std::span<const Stage> stages, std::int64_t chunks, ops::ChunkQueue queue) {
  Cost sum, most;
  bool once = true, early = false;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    sum += stages[i].cost;
    most = longest({most, stages[i].cost});
    early = early || stages[i].early.time() > SimTime::zero();
    for (std::size_t j = 0; j < i; ++j) once = once && stages[j].dimension != stages[i].dimension;
  }
  if (early && chunks > 1) return std::nullopt;
  if (once || chunks == 1) return sum + (chunks - 1) * most;
  const bool up_and_down = stages.size() == 3 && stages[0].dimension == stages[2].dimension &&
                           stages[0].dimension != stages[1].dimension;
  if (!up_and_down || queue != ops::ChunkQueue::fifo) return std::nullopt;
  const Cost &a = stages[0].cost, &b = stages[1].cost, &c = stages[2].cost;
  return longest({chunks * (a + c), a + b + chunks * c, a + b + (chunks - 1) * longest({a, b}) + c});
}

}  // namespace echo::textbook
