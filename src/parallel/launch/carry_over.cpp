#include "parallel/launch/carry_over.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "parallel/journal/frame_reader.hpp"
#include "parallel/journal/journal_frames.hpp"
#include "parallel/journal/journal_rows.hpp"

namespace echo::parallel {
namespace {

constexpr std::int64_t batch_rows = 1024;

template <class Visit>
void for_each_row(JournalRows& rows, Visit visit) {
  std::vector<results::FinishedRow> batch;
  for (std::int64_t first = 0; first < rows.size(); first += batch_rows) {
    batch.resize(static_cast<std::size_t>(std::min(batch_rows, rows.size() - first)));
    rows.read(first, batch);
    for (std::size_t i = 0; i < batch.size(); ++i) visit(static_cast<std::size_t>(first) + i, batch[i].row);
  }
}

// Those whose rows were carried.
void remove_files(const std::vector<std::filesystem::path>& files, Disk& disk, const Fence& fence) {
  for (const auto& file : files) {
    fence.check();
    static_cast<void>(disk.remove(file));
  }
}

}  // namespace

std::vector<sweep::PointIndex> renumber(std::span<const std::uint64_t> old_ids, const SpaceView& space) {
  std::vector<std::pair<std::uint64_t, std::size_t>> sorted;  // config_id, old place
  sorted.reserve(old_ids.size());
  for (std::size_t i = 0; i < old_ids.size(); ++i) sorted.emplace_back(old_ids[i], i);
  std::ranges::sort(sorted);
  std::vector<sweep::PointIndex> numbers(old_ids.size(), -1);
  for (sweep::PointIndex number = 0; number < space.size && !sorted.empty(); ++number) {
    const std::pair wanted{space.config_id(number), std::size_t{0}};
    const auto found = std::ranges::lower_bound(sorted, wanted);
    if (found != sorted.end() && found->first == wanted.first) numbers[found->second] = number;
  }
  return numbers;
}

void refuse_lost_points(const std::filesystem::path& of, std::int64_t lost, std::int64_t all) {
  throw UserError(std::to_string(lost) + " of " + std::to_string(all) + " points of \"" + of.string() +
                      "\" are not in the new space",
                  "add them to the sweep again, write elsewhere with -o, or discard them with --fresh", 5);
}

void carry_journals(const Surroundings& around, const Fence& fence, const std::filesystem::path& folder,
                    const std::string& old_key, const JournalHeader& header, const SpaceView& space) {
  JournalRows rows(folder, old_key, {}, around.disk);
  if (rows.is_cut_short())
    throw UserError("cannot read all rows in \"" + folder.string() + "\"",
                    "check its disk; run the same command again, or discard the old rows with --fresh", 5);
  std::vector<std::uint64_t> ids(static_cast<std::size_t>(rows.size()));
  for_each_row(rows, [&ids](std::size_t i, const sweep::Row& row) { ids[i] = row.config_id; });
  const auto numbers = renumber(ids, space);
  const auto lost = std::ranges::count(numbers, sweep::PointIndex{-1});
  if (lost > 0) refuse_lost_points(folder, lost, rows.size());
  // What replaces rows that are long on the disk must be there before they go.
  Journal carried(folder, header, Fsync::second, around.disk, around.host);
  for_each_row(rows, [&](std::size_t i, sweep::Row row) {
    row.id = numbers[i];
    row.config = space.config(row.id);  // tables it points into may have moved
    carried.append({&row, 1});
  });
  for (const auto& failure : rows.failures()) {
    std::int64_t at = 0;  // its old place, by rank among the numbers done
    for (const auto& range : rows.done().ranges()) {
      if (failure.id < range.begin) break;
      at += std::min(failure.id, range.end) - range.begin;
    }
    if (rows.done().contains(failure.id))
      carried.append(sweep::Failure{numbers[static_cast<std::size_t>(at)], failure.message});
  }
  carried.close("carried over");
  remove_files(rows.files(), around.disk, fence);
}

std::string what_changed(const results::FileHeader& old, const results::FileHeader& now) {
  std::vector<std::string> parts;
  const auto compare = [&parts](const std::string& a, const std::string& b, const char* name) {
    if (a != b) parts.emplace_back(name);
  };
  compare(old.code_key, now.code_key, "the program");
  compare(old.catalog_key, now.catalog_key, "the presets");
  compare(old.calibration_key, now.calibration_key, "the calibration");
  if (parts.empty() && old.row_key != now.row_key)
    parts.emplace_back("the limits, [target], [simulate] or the work budget");
  compare(old.space_key, now.space_key, "the space");
  compare(old.shard, now.shard, "the shard");
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

bool is_extension(const results::FileHeader& old, const results::FileHeader& now) {
  return old.row_key == now.row_key && old.space_key != now.space_key && old.shard.empty() &&
         now.shard.empty();
}

void refuse_other_sweep(const std::filesystem::path& place, const results::FileHeader& old,
                        const results::FileHeader& now) {
  const bool can_extend = is_extension(old, now);
  throw UserError("\"" + place.string() + "\" contains another sweep: " + what_changed(old, now) + " changed",
                  std::string(can_extend ? "run only the new points with --extend, write elsewhere with -o"
                                         : "write elsewhere with -o") +
                      ", or replace the old rows with --fresh",
                  5);
}

}  // namespace echo::parallel
