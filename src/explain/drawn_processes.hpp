// Which processes a picture of a step has: its stages, or single gpu ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "explain/perfetto_step.hpp"
#include "training/layout/rank_layout.hpp"

namespace echo::explain {

// A stage, or one gpu rank of it at `place` among those of the stage. Ranks at equal places of two stages are
// neighbours in one pipeline.
struct DrawnProcess {
  std::int32_t number = 0, place = 0;
  bool is_rank = false;
};

// [stages] the processes that do what the stage does. Stages come before ranks and are numbered as they are;
// without stages in the request a rank's number is its own.
[[nodiscard]] std::vector<std::vector<DrawnProcess>> drawn_processes(const training::RankLayout&,
                                                                     const TraceRequest&);

}  // namespace echo::explain
