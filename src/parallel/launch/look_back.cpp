#include "parallel/launch/look_back.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "parallel/journal/journal.hpp"
#include "parallel/journal/journal_rows.hpp"
#include "results/verify_file.hpp"

namespace echo::parallel {
namespace {

using results::FileHeader;

void remove_journals(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::remove_all(journal_folder(file), error);
  if (error)
    throw UserError("cannot remove \"" + journal_folder(file).string() + "\": " + error.message(),
                    "make it writable, or write elsewhere with -o", 5);
}

bool is_extension(const FileHeader& old, const FileHeader& now) {
  return old.row_key == now.row_key && old.space_key != now.space_key && old.shard.empty() &&
         now.shard.empty();
}

[[noreturn]] void refuse(const std::filesystem::path& place, const FileHeader& old, const FileHeader& now) {
  const bool can_extend = is_extension(old, now);
  throw UserError("\"" + place.string() + "\" contains another sweep: " + what_changed(old, now) + " changed",
                  std::string(can_extend ? "run only the new points with --extend, write elsewhere with -o"
                                         : "write elsewhere with -o") +
                      ", or replace the old rows with --fresh",
                  5);
}

bool is_same(const FileHeader& old, const FileHeader& now) {
  return old.sweep_key == now.sweep_key && old.shard == now.shard;
}

IdSet set_of(const std::vector<sweep::PointIndex>& numbers) {
  std::vector<sweep::IdRange> ranges;
  for (const sweep::PointIndex number : numbers) {
    if (number < 0) continue;
    if (!ranges.empty() && ranges.back().end == number)
      ++ranges.back().end;
    else
      ranges.push_back({number, number + 1});
  }
  return IdSet(std::move(ranges));
}

// Rows of the existing file, under their numbers in this space.
void keep_old_rows(const LaunchRequest& request, LookBack& found) {
  found.old = std::make_unique<results::OldRows>(request.file);
  const results::OldRows& old = *found.old;
  std::vector<std::uint64_t> ids(static_cast<std::size_t>(old.count()));
  found.old_numbers.resize(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = old.config_id(static_cast<std::int64_t>(i));
    found.old_numbers[i] = old.number(static_cast<std::int64_t>(i));
  }
  if (!is_same(old.state(), request.header)) {
    found.old_numbers = renumber(ids, request.space);
    const auto lost = std::ranges::count(found.old_numbers, sweep::PointIndex{-1});
    if (lost > 0) refuse_lost_points(request.file, lost, old.count());
  }
  auto kept = found.old_numbers;
  if (request.retry_failed)
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (old.status(static_cast<std::int64_t>(i)) == training::Status::failed) kept[i] = -1;
  found.old_done = set_of(kept);
  found.launch = old.next_launch();
}

void look_at_file(const LaunchRequest& request, const JournalRows& rows, LookBack& found) {
  const auto state = results::read_state(request.file);
  if (!state) return;
  if (request.fresh) {
    found.replaces_another = true;
    return;
  }
  if (is_same(*state, request.header)) {
    const bool is_whole = state->complete || state->rows == ids_of(request.shard, request.space.size).count();
    const std::int64_t failed = state->by_status[at(training::Status::failed)];
    if (is_whole && !(request.retry_failed && failed > 0)) {
      results::require_whole(request.file);
      remove_journals(request.file);  // killed between the rename and the clean-up
      found.complete = *state;
    } else {
      keep_old_rows(request, found);
    }
  } else if (request.extend && is_extension(*state, request.header)) {
    keep_old_rows(request, found);
  } else if (!rows.headers().empty()) {
    found.replaces_another = true;  // an earlier launch had --fresh
  } else {
    refuse(request.file, *state, request.header);
  }
}

// Journals of other sweeps are carried over or refused; true when any was carried, and `rows` is out of date.
bool take_other_journals(const LaunchRequest& request, const JournalRows& rows, LookBack& found) {
  std::set<std::string> carried;
  for (const JournalHeader& other : rows.others()) {
    const bool may_extend = request.extend && is_extension(other.sweep, request.header);
    if (!may_extend) refuse(journal_folder(request.file), other.sweep, request.header);
    if (!carried.insert(other.sweep.sweep_key).second) continue;
    carry_journals(journal_folder(request.file), other.sweep.sweep_key,
                   {.sweep = request.header, .launch = found.launch++, .start = utc_now()}, request.space);
  }
  return !carried.empty();
}

}  // namespace

LookBack look_back(const LaunchRequest& request) {
  LookBack found;
  if (request.fresh) remove_journals(request.file);
  const auto folder = journal_folder(request.file);
  const std::string& key = request.header.sweep_key;
  std::optional<JournalRows> journals(std::in_place, folder, key);
  look_at_file(request, *journals, found);
  if (found.complete) return found;
  found.launch = std::max(found.launch, journals->next_launch());
  if (take_other_journals(request, *journals, found)) journals.emplace(folder, key);

  const JournalRows& rows = *journals;
  if (subtract(found.old_done, rows.done()).count() == 0) {  // a snapshot of these very journals
    found.old.reset();
    found.old_numbers.clear();
    found.old_done = {};
  }
  const IdSet journalled = request.retry_failed ? subtract(rows.done(), rows.failed()) : rows.done();
  const IdSet done = unite(journalled, found.old_done);
  found.wanted = ids_of(request.shard, request.space.size);
  if (request.limit > 0) found.wanted = intersect(found.wanted, IdSet({{0, request.limit}}));
  found.missing = subtract(found.wanted, done);
  found.resumed_rows = found.wanted.count() - found.missing.count();

  found.quarantine = find_quarantine(folder, key, done, rows.failures());
  const auto is_wanted = [&found](sweep::PointIndex id) { return found.missing.contains(id); };
  std::erase_if(found.quarantine.poisoned, [&](const sweep::Failure& f) { return !is_wanted(f.id); });
  std::erase_if(found.quarantine.suspects, [&](sweep::PointIndex id) { return !is_wanted(id); });
  std::vector<sweep::IdRange> apart;
  for (const sweep::PointIndex id : found.quarantine.suspects) apart.push_back({id, id + 1});
  found.missing = subtract(found.missing, IdSet(std::move(apart)));
  return found;
}

}  // namespace echo::parallel
