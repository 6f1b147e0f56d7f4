// The least time of a pipeline of known passes, without running it.
//
// On every stage tasks follow each other. The first of stage s needs one forward of each chunk before the
// first chunk of s; the last is a backward whose output passes backwards through those chunks again. So the
// stage ends no sooner than
//     begin(s) + work(s),      begin(s) = sum over chunks before of forward + transfer,
// and the step's last backward no sooner than begin(s) + work(s) + the backwards and transfers of the chunks
// before. `work` counts each microbatch's forward and backward, and after each of them the blocking transfer
// that the stage waits for (timeline/pipeline/stage.hpp: the next task starts no sooner than `sent`). That
// holds for every order in which a stage runs whole backwards. Where backwards are split, or the stages hold
// two copies of the model, begin and the way back are left out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.hpp"

namespace echo::bounds {

// Lower bounds of one chunk's passes over one microbatch.
struct ChunkPasses {
  SimTime forward{}, first_forward{};  // first_forward: of the first microbatch
  SimTime backward{}, last_backward{};
  SimTime lag{};  // gradient traffic ends this long after the last backward
};

struct PipelineFacts {
  std::span<const ChunkPasses> chunks;
  std::span<const std::int32_t> stage_of_chunk;
  std::span<const SimTime> hops;  // [chunks - 1] either direction; or empty: left out
  std::int32_t stages = 1, microbatches = 1;
  bool hops_block = false;
  bool in_line = true;  // whole backwards, one copy of the model
};

// [stages] The earliest end of each stage, its gradient traffic included; `out` is resized.
void earliest_ends(const PipelineFacts&, std::vector<SimTime>& out);

}  // namespace echo::bounds
