#include "bounds/pipeline_bound.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace echo::bounds {

namespace {

// The transfer between a chunk and the next; none within a stage.
SimTime hop_after(const PipelineFacts& facts, std::size_t chunk) {
  if (facts.hops.empty() || chunk >= facts.hops.size()) return {};
  return facts.stage_of_chunk[chunk] == facts.stage_of_chunk[chunk + 1] ? SimTime{} : facts.hops[chunk];
}

SimTime work_of(const PipelineFacts& facts, std::size_t chunk) {
  const ChunkPasses& passes = facts.chunks[chunk];
  const std::int64_t others = facts.microbatches - 1;
  SimTime work = others * (passes.forward + passes.backward) +
                 std::max(passes.forward, passes.first_forward) + passes.last_backward;
  if (!facts.hops_block) return work;
  const SimTime sent_on = hop_after(facts, chunk);
  const SimTime sent_back = chunk == 0 ? SimTime{} : hop_after(facts, chunk - 1);
  return work + facts.microbatches * (sent_on + sent_back);
}

}  // namespace

void earliest_ends(const PipelineFacts& facts, std::vector<SimTime>& out) {
  const std::size_t stages = at(facts.stages), chunks = facts.chunks.size();
  std::vector<SimTime> work(stages), before(stages), after(stages), lag(stages, SimTime::max());
  std::vector<std::uint8_t> met(stages);
  SimTime forwards{}, backwards{}, last_hop{};
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const std::size_t stage = at(facts.stage_of_chunk[chunk]);
    if (met[stage] == 0) {
      met[stage] = 1;
      // What the stage waits for after its last task is the first transfer on the way back.
      before[stage] = forwards, after[stage] = backwards - (facts.hops_block ? last_hop : SimTime{});
    }
    work[stage] += work_of(facts, chunk);
    lag[stage] = std::min(lag[stage], facts.chunks[chunk].lag);
    last_hop = hop_after(facts, chunk);
    forwards += facts.chunks[chunk].forward + last_hop;
    backwards += std::min(facts.chunks[chunk].backward, facts.chunks[chunk].last_backward) + last_hop;
  }
  out.assign(stages, SimTime{});
  const std::size_t opening = at(facts.stage_of_chunk.front());
  for (std::size_t stage = 0; stage < stages; ++stage) {
    if (met[stage] == 0) continue;
    const SimTime done = work[stage] + (facts.in_line ? before[stage] : SimTime{});
    // The lag counts from the end of the last backward, before the transfer that follows it.
    const SimTime traffic = facts.hops_block ? SimTime{} : lag[stage];
    out[stage] = std::max(out[stage], done + (facts.in_line ? traffic : SimTime{}));
    if (facts.in_line) out[opening] = std::max(out[opening], done + after[stage] + lag[opening]);
  }
}

}  // namespace echo::bounds
