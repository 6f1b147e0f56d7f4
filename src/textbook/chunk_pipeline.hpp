// Chunks of one collective on their way through the dimensions of a machine.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ops/generic_settings.hpp"
#include "textbook/dimension.hpp"

namespace echo::textbook {

struct Stage {
  std::int32_t dimension = 0;
  Cost cost;
  friend bool operator==(const Stage&, const Stage&) = default;
};

// Stages of each chunk in its own order; a dimension serves one chunk at a time, and of those that wait takes
// the one its queue says (ties: fifo the lower chunk, lifo the higher). Returns what the last chunk's end
// hangs on, part by part. Every stage takes time.
[[nodiscard]] Cost schedule_chunks(std::span<const std::vector<Stage>> chunks, ops::ChunkQueue queue);

// The same for `chunks` alike, without a schedule, where there is a closed form.
[[nodiscard]] std::optional<Cost> chunks_alike(std::span<const Stage> stages, std::int64_t chunks,
                                               ops::ChunkQueue queue);

}  // namespace echo::textbook
