#include "parallel/launch/old_file.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "base/at.hpp"
#include "base/error.hpp"
#include "parallel/journal/journal.hpp"
#include "parallel/launch/publish.hpp"
#include "parallel/launch/put_aside.hpp"

namespace echo::parallel {
namespace {

using results::FileHeader;

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

bool can_be_read(Disk& disk, const std::filesystem::path& name) {
  const auto [file, error] = disk.open(name, Disk::Use::read);
  if (error != 0) return false;
  std::vector<char> piece(std::size_t{1} << 20);
  std::int64_t got = 0;
  for (std::int64_t at = 0; (got = file->read(at, piece)) > 0;) at += got;
  return got == 0;
}

// Runs `read` on the result file, twice if it fails. False: the file is damaged, and was put aside. Throws as
// `read` does where `may_put_aside` is false, and where the file cannot be opened at all.
bool reads(const LaunchPlace& place, bool may_put_aside, LookBack& found, const std::function<void()>& read) {
  const auto& file = place.request.file;
  try {
    read();
    return true;
  } catch (const std::exception&) {
    // Where the bytes cannot be read the disk has failed, which need not last: the file may be whole.
    if (!may_put_aside || !can_be_read(place.around.disk, file)) throw;
  }
  try {
    read();
    return true;
  } catch (const std::exception& error) {
    const auto aside = put_aside(file, place.around.disk, place.fence);
    found.warnings.push_back("\"" + file.string() + "\" is damaged (" + error.what() + "): put aside as \"" +
                             aside.string() + "\"");
    return false;
  }
}

// Reads every row, its number, and what it says of its launches.
void require_whole(const LaunchPlace& place) {
  const auto rows = place.around.files.open(place.request.file);
  const results::FileState& state = rows->state();
  place.around.files.verify(place.request.file, {state.rows_digest, state.rows, state.by_status});
}

void drop_old_rows(LookBack& found) {
  found.old.reset();
  found.old_numbers.clear();
  found.old_done = {};
}

// Rows of the existing file, under their numbers in this space.
void keep_old_rows(const LaunchPlace& place, bool has_rows, LookBack& found) {
  const LaunchRequest& request = place.request;
  const auto open = [&] { found.old = place.around.files.open(request.file); };
  if (!reads(place, has_rows, found, open)) return;
  const results::EarlierRows& old = *found.old;
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

}  // namespace

void forget_journals(const LaunchPlace& place) {
  Disk& disk = place.around.disk;
  if (disk.kind(place.folder) == EntryKind::absent) return;
  const bool are_gone = remove_journals(disk, place.fence, place.folder);
  if (disk.kind(place.folder) == EntryKind::folder) static_cast<void>(disk.sync(place.folder));
  if (!are_gone)
    throw UserError("cannot remove the journals in \"" + place.folder.string() + "\"",
                    "make it writable, or write elsewhere with -o", 5);
}

void look_at_replaced_file(const LaunchPlace& place, LookBack& found) {
  const auto& file = place.request.file;
  const bool may_be_ours = !place.around.files.is_of_another_program(file);
  bool exists = false;
  const auto read = [&] { exists = place.around.files.state(file).has_value(); };
  found.replaces_another = reads(place, may_be_ours, found, read) && exists;
}

void look_at_file(const LaunchPlace& place, const JournalRows& rows, LookBack& found) {
  const LaunchRequest& request = place.request;
  const bool has_rows = rows.size() > 0;
  std::optional<results::FileState> state;
  if (!reads(place, has_rows, found, [&] { state = place.around.files.state(request.file); }) || !state)
    return;
  if (is_same(*state, request.header)) {
    const bool is_whole = state->complete || state->rows == ids_of(request.shard, request.space.size).count();
    const std::int64_t failed = state->by_status[at(training::Status::failed)];
    if (!is_whole || (request.retry_failed && failed > 0)) {
      keep_old_rows(place, has_rows, found);
      return;
    }
    // Killed between the rename and the clean-up.
    const auto read_back = [&] { require_whole(place); };
    if (has_rows && !reads(place, true, found, read_back)) return;
    if (rows.others().empty()) forget_journals(place);  // others may be of an extension that is under way
    found.complete = *state;
  } else if (request.extend && is_extension(*state, request.header)) {
    keep_old_rows(place, has_rows, found);
  } else if (rows.size() > 0) {
    found.replaces_another = true;  // an earlier launch had --fresh
  } else {
    refuse_other_sweep(request.file, *state, request.header);
  }
}

void settle_old_rows(const LaunchPlace& place, const JournalRows& rows, LookBack& found) {
  if (!found.old) return;
  const auto read_back = [&] { require_whole(place); };
  const bool has_all =
      subtract(found.old_done, rows.done()).count() == 0;  // a snapshot of these very journals
  if (has_all || !reads(place, rows.size() > 0, found, read_back)) drop_old_rows(found);
}

}  // namespace echo::parallel
