// Any text is a table of ASTRA-sim's or a UserError of exit code 2; its step is sound, and the table of its
// step makes the same step again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "trace_io/astra/astra_step.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const echo::trace_io::AstraTable table = echo::trace_io::read_astra_table(text, "fuzz.txt");
    const std::int32_t ranks = table.ranks > 0 && table.ranks < 64 ? table.ranks : 5;
    const echo::trace::Trace step = echo::trace_io::step_of(table, ranks);
    if (!echo::trace::why_unsound(step).empty()) std::abort();
    const std::string again = text_of(echo::trace_io::table_of_its_step(step));
    const echo::trace::Trace same =
        echo::trace_io::step_of(echo::trace_io::read_astra_table(again, "again"), ranks);
    if (same.ranks.front().nodes != step.ranks.front().nodes) std::abort();
    if (same.ranks.front().needs != step.ranks.front().needs) std::abort();
  } catch (const echo::UserError& error) {
    if (error.exit_code() != 2) std::abort();
  }
  return 0;
}
