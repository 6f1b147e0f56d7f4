#include "parallel/launch/assemble.hpp"

#include <algorithm>
#include <utility>

#include "base/at.hpp"
#include "parallel/journal/journal_rows.hpp"
#include "parallel/launch/publish.hpp"

namespace echo::parallel {

Tally tally(const JournalRows& rows, const LookBack& before) {
  Tally found{rows.done(), rows.by_status()};
  if (!before.old) return found;
  for (std::size_t i = 0; i < before.old_numbers.size(); ++i) {
    if (rows.done().contains(before.old_numbers[i])) continue;
    const auto status = before.old->status(static_cast<std::int64_t>(i));
    ++found.by_status.at(at(status));
  }
  found.done = unite(found.done, before.old_done);
  return found;
}

results::WriteSummary assemble(const Surroundings& around, const Fence& fence, const LaunchRequest& request,
                               const LookBack& before, JournalRows& rows, const std::stop_token& stop) {
  results::FileHeader header = request.header;
  header.is_partial = tally(rows, before).done.count() < header.ids;
  results::Provenance provenance = request.provenance;
  provenance.launches = rows.launches();
  provenance.failures = rows.failures();
  for (results::Launch& launch : provenance.launches)
    if (launch.number == before.launch && launch.stop_reason == "killed") launch.stop_reason = "running";
  BreakableRows stream(rows, stop);
  return publish(around, fence, request.file,
                 {stream, header, provenance, before.old.get(), before.old_numbers});
}

}  // namespace echo::parallel
