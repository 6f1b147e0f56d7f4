#include "parallel/launch/old_file.hpp"

#include <algorithm>
#include <exception>
#include <fstream>
#include <functional>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "parallel/journal/journal.hpp"
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

// Runs `read` on the result file. False: the file is damaged, and was put aside. Throws as `read` does where
// `may_put_aside` is false, and where the file cannot be opened at all.
bool reads(const std::filesystem::path& file, bool may_put_aside, LookBack& found,
           const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const std::exception& error) {
    const bool is_there = std::filesystem::is_regular_file(file) && std::ifstream(file).is_open();
    if (!may_put_aside || !is_there) throw;
    const auto aside = put_aside(file);
    found.warnings.push_back("\"" + file.string() + "\" is damaged (" + error.what() + "): put aside as \"" +
                             aside.string() + "\"");
    return false;
  }
}

// Reads every row, its number, and what it says of its launches.
void require_whole(const std::filesystem::path& file) {
  const results::OldRows rows(file);
  if (results::digest_of(file) != rows.state().rows_digest)
    throw UserError("the rows of \"" + file.string() + "\" do not have the digest that the file states",
                    "restore it, write elsewhere with -o, or start over with --fresh", 5);
}

void drop_old_rows(LookBack& found) {
  found.old.reset();
  found.old_numbers.clear();
  found.old_done = {};
}

// Rows of the existing file, under their numbers in this space.
void keep_old_rows(const LaunchRequest& request, bool has_rows, LookBack& found) {
  const auto open = [&] { found.old = std::make_unique<results::OldRows>(request.file); };
  if (!reads(request.file, has_rows, found, open)) return;
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

}  // namespace

void remove_journals(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::remove_all(journal_folder(file), error);
  if (error)
    throw UserError("cannot remove \"" + journal_folder(file).string() + "\": " + error.message(),
                    "make it writable, or write elsewhere with -o", 5);
}

void look_at_replaced_file(const LaunchRequest& request, LookBack& found) {
  const bool may_be_ours = !results::is_of_another_program(request.file);
  bool exists = false;
  const auto read = [&] { exists = results::read_state(request.file).has_value(); };
  found.replaces_another = reads(request.file, may_be_ours, found, read) && exists;
}

void look_at_file(const LaunchRequest& request, const JournalRows& rows, LookBack& found) {
  const bool has_rows = rows.size() > 0;
  std::optional<results::FileState> state;
  if (!reads(request.file, has_rows, found, [&] { state = results::read_state(request.file); }) || !state)
    return;
  if (is_same(*state, request.header)) {
    const bool is_whole = state->complete || state->rows == ids_of(request.shard, request.space.size).count();
    const std::int64_t failed = state->by_status[at(training::Status::failed)];
    if (!is_whole || (request.retry_failed && failed > 0)) {
      keep_old_rows(request, has_rows, found);
      return;
    }
    // Killed between the rename and the clean-up.
    const auto read_back = [&] { require_whole(request.file); };
    if (has_rows && !reads(request.file, true, found, read_back)) return;
    remove_journals(request.file);
    found.complete = *state;
  } else if (request.extend && is_extension(*state, request.header)) {
    keep_old_rows(request, has_rows, found);
  } else if (!rows.headers().empty()) {
    found.replaces_another = true;  // an earlier launch had --fresh
  } else {
    refuse_other_sweep(request.file, *state, request.header);
  }
}

void settle_old_rows(const LaunchRequest& request, const JournalRows& rows, LookBack& found) {
  if (!found.old) return;
  const auto read_back = [&] { require_whole(request.file); };
  const bool has_all =
      subtract(found.old_done, rows.done()).count() == 0;  // a snapshot of these very journals
  if (has_all || !reads(request.file, rows.size() > 0, found, read_back)) drop_old_rows(found);
}

}  // namespace echo::parallel
