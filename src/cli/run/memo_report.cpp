#include "cli/run/memo_report.hpp"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::cli {

simulate::MemoCounts sum_over_workers(const parallel::Session& session, const simulate::MemoCounts& own) {
  static_assert(std::is_trivially_copyable_v<simulate::MemoCounts>);
  simulate::MemoCounts sum;
  for (int worker = 0; worker < session.workers(); ++worker) {
    std::string bytes(sizeof own, '\0');
    if (worker == session.worker()) std::memcpy(bytes.data(), &own, sizeof own);
    session.broadcast_bytes(bytes, worker);
    simulate::MemoCounts theirs;
    std::memcpy(&theirs, bytes.data(), sizeof theirs);
    sum += theirs;
  }
  return sum;
}

std::string memo_report(const simulate::MemoCounts& counts) {
  text::TextTable table({"<memo", "asked", "known"});
  for (std::size_t i = 0; i < counts.of.size(); ++i) {
    const MemoCount& count = counts.of[i];
    const double share =
        count.asked == 0 ? 0.0 : static_cast<double>(count.known) / static_cast<double>(count.asked);
    table.add({std::string(simulate::memo_names[i]), text::show_count(count.asked),
               fmt::format("{:.1f} %", 100.0 * share)});
  }
  return table.text();
}

}  // namespace echo::cli
