// Schedules the chunks of one collective over the dimensions of a machine.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ops/generic_settings.hpp"
#include "textbook/dimension.hpp"

namespace echo::textbook {

// What a collective takes within one dimension. `early`: how much before its end the dimension takes the next
// chunk (leaves of one tree are inner ranks of the other; a cable is free before its last message has come).
struct PhaseCost {
  Cost cost, early{};
};

// The same of one chunk; early: as of a PhaseCost.
struct Stage {
  std::int32_t dimension = 0;
  Cost cost, early{};
  friend bool operator==(const Stage&, const Stage&) = default;
};

// Each chunk has its own order of stages; a dimension serves `at_once` chunks at a time, each as fast as one
// alone, and takes the next waiting one from its queue (ties: fifo the lower chunk, lifo the higher). Returns
// the time of the chain of stages that determines the last chunk's end, by part. Every stage takes time.
[[nodiscard]] Cost schedule_chunks(std::span<const std::vector<Stage>> chunks, ops::ChunkQueue queue,
                                   std::int32_t at_once = 1);

// The same for `chunks` identical chunks, one at a time, in closed form, if there is one.
[[nodiscard]] std::optional<Cost> chunks_alike(std::span<const Stage> stages, std::int64_t chunks,
                                               ops::ChunkQueue queue);

}  // namespace echo::textbook
