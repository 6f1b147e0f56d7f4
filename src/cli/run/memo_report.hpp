// What --stats prints: how often the memos of all workers were asked, and how often they knew.
#pragma once

#include <string>

#include "parallel/session.hpp"
#include "simulate/memo_counts.hpp"

namespace echo::cli {

// The sum over all workers, on every one. All workers call it.
[[nodiscard]] simulate::MemoCounts sum_over_workers(const parallel::Session&, const simulate::MemoCounts&);

[[nodiscard]] std::string memo_report(const simulate::MemoCounts&);

}  // namespace echo::cli
