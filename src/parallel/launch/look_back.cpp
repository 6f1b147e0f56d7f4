#include "parallel/launch/look_back.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "parallel/journal/journal.hpp"
#include "parallel/journal/journal_rows.hpp"
#include "parallel/launch/old_file.hpp"

namespace echo::parallel {
namespace {

[[noreturn]] void refuse_format(const std::filesystem::path& folder) {
  throw UserError("\"" + folder.string() + "\" has journals that another version of this program wrote",
                  "finish with that version, write elsewhere with -o, or discard the old rows with --fresh",
                  5);
}

// "... has 317 rows of another sweep": a line for each file.
void warn_of_foreign_rows(LookBack& found) {
  std::map<std::filesystem::path, std::int64_t> rows;
  for (const ForeignFrame& frame : found.foreign) rows[frame.file] += frame.rows;
  for (const auto& [file, count] : rows)
    found.warnings.push_back("\"" + file.string() + "\" has " + std::to_string(count) +
                             " rows of another sweep: they are left out, and their points simulated again");
}

// Journals of other sweeps are carried over or refused; true when any was carried, and `rows` is out of date.
bool take_other_journals(const LaunchPlace& place, const JournalRows& rows, LookBack& found) {
  const LaunchRequest& request = place.request;
  const auto& folder = place.folder;
  for (const JournalHeader& header : rows.headers())
    if (header.sweep.shard != request.header.shard) refuse_other_sweep(folder, header.sweep, request.header);
  std::set<std::string> carried;
  for (const auto& [other, is_readable] : rows.others()) {
    const bool may_extend = request.extend && is_extension(other.sweep, request.header);
    if (!is_readable && (may_extend || other.sweep.sweep_key == request.header.sweep_key))
      refuse_format(folder);
    if (!may_extend) refuse_other_sweep(folder, other.sweep, request.header);
    if (!carried.insert(other.sweep.sweep_key).second) continue;
    carry_journals(place.around, place.fence, folder, other.sweep.sweep_key,
                   {.sweep = request.header,
                    .launch = found.launch++,
                    .start = place.around.host.utc(),
                    .token = place.fence.token()},
                   request.space);
  }
  return !carried.empty();
}

}  // namespace

LookBack look_back(const Surroundings& around, const Fence& fence, const LaunchRequest& request) {
  const LaunchPlace place{around, fence, request, journal_folder(request.file)};
  const auto& folder = place.folder;
  const EntryKind kind = around.disk.kind(folder);
  if (kind == EntryKind::file || kind == EntryKind::other)
    throw UserError("\"" + folder.string() + "\" is not a folder", "remove it, or write elsewhere with -o",
                    5);
  LookBack found;
  if (request.fresh) look_at_replaced_file(place, found), forget_journals(place);
  const std::string& key = request.header.sweep_key;
  const RowCheck check{request.space.size, request.space.config_id, {}};
  std::optional<JournalRows> journals(std::in_place, folder, key, check, around.disk);
  if (!request.fresh) look_at_file(place, *journals, found);
  if (found.complete) return found;
  found.launch = std::max(found.launch, journals->next_launch());
  if (take_other_journals(place, *journals, found)) journals.emplace(folder, key, check, around.disk);

  const JournalRows& rows = *journals;
  found.foreign = rows.foreign();
  warn_of_foreign_rows(found);
  settle_old_rows(place, rows, found);
  const IdSet journalled = request.retry_failed ? subtract(rows.done(), rows.failed()) : rows.done();
  const IdSet done = unite(journalled, found.old_done);
  found.wanted = ids_of(request.shard, request.space.size);
  if (request.limit > 0) found.wanted = intersect(found.wanted, IdSet({{0, request.limit}}));
  found.missing = subtract(found.wanted, done);
  found.resumed_rows = found.wanted.count() - found.missing.count();

  found.quarantine = find_quarantine(folder, key, done, rows.failures(), around.disk);
  const auto is_wanted = [&found](sweep::PointIndex id) { return found.missing.contains(id); };
  std::erase_if(found.quarantine.poisoned, [&](const sweep::Failure& f) { return !is_wanted(f.id); });
  std::erase_if(found.quarantine.suspects, [&](sweep::PointIndex id) { return !is_wanted(id); });
  std::vector<sweep::IdRange> apart;
  for (const sweep::PointIndex id : found.quarantine.suspects) apart.push_back({id, id + 1});
  found.missing = subtract(found.missing, IdSet(std::move(apart)));
  return found;
}

}  // namespace echo::parallel
