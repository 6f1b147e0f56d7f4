// Problem: merge the rows of many files, each written by one worker range by range, in the order of their
// numbers, with memory independent of the number of rows. A worker processes a range from front to back, so
// its journal consists of extents: rows with consecutive numbers. Only extents are indexed (40 bytes each,
// one per range handed out, or per block of the result file if these are shorter: 0.01 to 0.1 bytes per row),
// sorted by their first number. As extents hardly ever
// overlap, the merge holds one open extent and the unpacked frame that it is in; where a point was done
// twice, as many as overlap there; and a few frames more, for extents that share one (frame_cache.hpp). How
// many rows there are, which are missing and which failed is arithmetic on ranges and unpacks nothing.
// Neglected: an adversary could interleave numbers so that every row is a separate extent.
#include "parallel/journal/journal_rows.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <tuple>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/error.hpp"
#include "parallel/journal/extent_cursor.hpp"
#include "parallel/journal/frame_reader.hpp"
#include "results/write/block.hpp"

namespace echo::parallel {
namespace {

// By launch and worker.
std::vector<std::filesystem::path> row_files(const std::filesystem::path& folder, Disk& disk) {
  std::vector<std::filesystem::path> files;
  const auto names = disk.files(folder);
  if (names.error != 0)
    throw UserError("cannot read \"" + folder.string() + "\": " + std::strerror(names.error),
                    "make it readable, or check its disk; run the same command again to continue", 5);
  for (const std::string& name : *names.it)
    if (name.ends_with(".rows")) files.push_back(folder / name);
  return files;
}

IdSet ids_of(const std::vector<Extent>& extents, bool failed) {
  std::vector<sweep::IdRange> ranges;
  for (const Extent& extent : extents)
    if (extent.is_failed == failed) ranges.push_back({extent.first, extent.first + extent.count});
  return IdSet(std::move(ranges));
}

// Which of two rows of one number is kept: the lesser.
auto rank_of(const Extent& e) { return std::tuple(e.is_failed, e.file, e.frame, e.in_frame); }

}  // namespace

static bool is_known(const ForeignFrame& frame, const RowCheck& check) {
  const auto place_of = [](const ForeignFrame& f) { return std::pair(f.file, f.offset); };
  return std::ranges::binary_search(check.known, place_of(frame), {}, place_of);
}

// A frame without our index counts as many as it would hold unpacked: older formats have no index.
static std::int64_t rows_claimed(std::string_view payload, const std::optional<RowsIndex>& index) {
  return index ? index->rows()
               : std::max<std::int64_t>(1, static_cast<std::int64_t>(payload.size() / sizeof(sweep::Row)));
}

// Whether a frame's first and last row are points of the space, under their numbers. One worker wrote all of
// them at once, under one checksum and key; an id costs 10 microseconds, as much as a quarter of a
// simulation.
static bool is_of_space(const RowsIndex& rows, const RowCheck& check) {
  if (check.size == 0) return true;
  const auto is_point = [&check](sweep::PointIndex id, std::uint64_t config_id) {
    return id >= 0 && id < check.size && check.config_id(id) == config_id;
  };
  const RowRun& last = rows.runs.back();
  return is_point(rows.runs.front().first, rows.first_config) &&
         is_point(last.first + last.count - 1, rows.last_config);
}

static bool is_sound(FrameKind kind, const std::optional<RowsIndex>& rows, const RowCheck& check) {
  return kind != FrameKind::rows || (rows && is_of_space(*rows, check));
}

JournalRows::JournalRows(const std::filesystem::path& folder, const std::string& sweep_key,
                         const RowCheck& check, Disk& disk)
    : disk_(&disk), frames_(std::make_unique<FrameCache>(disk)) {
  struct Candidate {
    std::filesystem::path file;
    StoredHeader head;
  };
  std::vector<Candidate> candidates;
  for (const auto& file : row_files(folder, disk)) {
    int launch = 0;  // from the name: a launch killed before it wrote a header counts too
    if (std::sscanf(file.filename().c_str(), "launch-%d-", &launch) == 1)
      next_launch_ = std::max(next_launch_, launch + 1);
    FrameReader frames(file, disk);
    const auto payload = frames.next();
    auto head = payload ? read_header(*payload) : std::nullopt;
    if (head)
      candidates.push_back({file, std::move(*head)});
    else  // killed while writing its header: the file has no rows
      torn_bytes_ += payload ? frames.size() : frames.torn_bytes();
    is_cut_short_ = is_cut_short_ || frames.has_failed();
  }
  const std::string key =
      sweep_key.empty() && !candidates.empty() ? candidates.back().head.header.sweep.sweep_key : sweep_key;
  for (auto& [file, head] : candidates) {
    if (head.header.sweep.sweep_key != key || !head.is_readable) {
      others_.push_back(std::move(head));
      continue;
    }
    headers_.push_back(std::move(head.header));
    files_.push_back(file);
    index_file(file, check);
  }
  finish_index();
}

JournalRows::~JournalRows() = default;

void JournalRows::finish_index() {
  std::ranges::sort(extents_, {}, [](const Extent& e) { return std::tuple(e.first, rank_of(e)); });
  extents_.shrink_to_fit();
  const IdSet well = ids_of(extents_, false);
  done_ = unite(well, ids_of(extents_, true));
  failed_ = subtract(done_, well);
  std::int64_t rows = 0;
  for (const Extent& extent : extents_) rows += extent.count;
  if (rows != done_.count()) count_again();
  keep_whole_blocks();
  for (std::size_t i = 0; i < launches_.size(); ++i)
    if (closed_[i] < launches_[i].workers) launches_[i].stop_reason = "killed";
}

results::Launch& JournalRows::launch_of(const JournalHeader& header) {
  const auto found = std::ranges::find(launches_, header.launch, &results::Launch::number);
  if (found != launches_.end()) return *found;
  closed_.push_back(0);
  return launches_.emplace_back(
      results::Launch{.number = header.launch, .workers = header.workers, .start = header.start});
}

void JournalRows::index_file(const std::filesystem::path& path, const RowCheck& check) {
  results::Launch& launch = launch_of(headers_.back());
  const std::uint64_t key = frame_key(headers_.back().sweep);
  FrameReader frames(path, *disk_);
  starts_extent_ = true;
  while (const auto payload = frames.next()) {
    const FrameKind kind = kind_of(*payload);
    if (kind == FrameKind::header) continue;
    const auto rows = read_index(*payload);
    const ForeignFrame here{path, frames.offset(), rows_claimed(*payload, rows)};
    if (key_of(*payload) != key || !is_sound(kind, rows, check) || is_known(here, check)) {
      if (kind == FrameKind::rows) foreign_.push_back(here);
      starts_extent_ = true;
      continue;
    }
    switch (kind) {
      case FrameKind::header:
        break;
      case FrameKind::block:
        index_block(read_block(*payload), frames.offset());
        break;
      case FrameKind::rows:
        index_rows(*rows, frames.offset());
        launch.points += rows->rows();
        break;
      case FrameKind::end: {
        const EndMark mark = read_end(*payload);
        ++closed_[at(&launch - launches_.data())];
        launch.end = std::max(launch.end, mark.end);
        launch.stop_reason = std::max(launch.stop_reason, mark.stop_reason);  // "stopped" of any beats "done"
        break;
      }
      case FrameKind::failure: {
        sweep::Failure failure = read_failure(*payload);
        failures_.push_back({failure.id, launch.number, std::move(failure.message)});
        break;
      }
    }
  }
  torn_bytes_ += frames.torn_bytes();
  is_cut_short_ = is_cut_short_ || frames.has_failed();
}

void JournalRows::index_rows(const RowsIndex& rows, std::int64_t frame) {
  const auto file = static_cast<std::int32_t>(files_.size()) - 1;
  for (std::size_t i = 0; i < by_status_.size(); ++i) by_status_[i] += rows.by_status[i];
  std::int32_t in_frame = 0;
  for (const RowRun& run : rows.runs) {
    for (sweep::PointIndex first = run.first; first < run.first + run.count;) {
      const sweep::PointIndex border = (first / results::block_rows + 1) * results::block_rows;
      const auto count = std::min<std::int64_t>(border, run.first + run.count) - first;
      Extent* const last = starts_extent_ ? nullptr : &extents_.back();
      starts_extent_ = false;
      const bool is_failed = run.is_failed != 0;
      if (last != nullptr && last->first + last->count == first && last->is_failed == is_failed &&
          first % results::block_rows != 0)
        last->count += count;
      else
        extents_.push_back({first, count, frame, in_frame, file, is_failed});
      in_frame += static_cast<std::int32_t>(count);
      first += count;
    }
  }
}

// Parts that do not follow each other are left out with their block.
void JournalRows::index_block(const BlockMark& mark, std::int64_t frame) {
  constexpr std::int32_t most_parts = 1024;
  if (mark.part == 0) begun_ = {mark.first, mark.rows, static_cast<std::int32_t>(std::ssize(files_)) - 1, {}};
  const bool continues = begun_.first == mark.first && begun_.rows == mark.rows &&
                         std::ssize(begun_.parts) == mark.part && mark.parts <= most_parts;
  if (!continues) begun_ = {};
  if (!continues) return;
  begun_.parts.push_back(frame);
  if (mark.part + 1 == mark.parts) blocks_.push_back(std::exchange(begun_, {}));
}

// Keeps blocks of rows up to the first that is missing, without those that were done twice.
void JournalRows::keep_whole_blocks() {
  const auto all = done_.ranges();
  const sweep::PointIndex end = all.empty() || all.front().begin != 0 ? 0 : all.front().end;
  const auto is_kept = [&](const PackedBlock& block) {
    const sweep::PointIndex block_end = block.first + block.rows;
    if (block.first < 0 || block.first % results::block_rows != 0 || block.rows <= 0 ||
        block.rows > results::block_rows || block_end > end)
      return false;
    std::int64_t rows = 0;
    for (auto extent = std::ranges::lower_bound(extents_, block.first, {}, &Extent::first);
         extent != extents_.end() && extent->first < block_end; ++extent) {
      if (extent->file != block.file) return false;
      rows += extent->count;
    }
    return rows == block.rows;
  };
  std::erase_if(blocks_, [&](const PackedBlock& block) { return !is_kept(block); });
  std::ranges::sort(blocks_, {}, &PackedBlock::first);
}

const PackedBlock* JournalRows::find_block(sweep::PointIndex first) const {
  const auto found = std::ranges::lower_bound(blocks_, first, {}, &PackedBlock::first);
  return found != blocks_.end() && found->first == first ? &*found : nullptr;
}

std::string JournalRows::block_part(std::int64_t first, std::int32_t part) {
  const PackedBlock* const block = find_block(first);
  ECHO_EXPECT(block != nullptr && part >= 0 && part < std::ssize(block->parts));
  const auto& file = files_[at(block->file)];
  const std::string payload = read_frame(file, block->parts[at(part)], *disk_);
  return std::string(block_content(payload));
}

void JournalRows::skip_block(std::int64_t first) {
  const PackedBlock* const block = find_block(first);
  ECHO_EXPECT(block != nullptr && (first == 0 || first == position_));
  if (first == 0) start_over();
  active_.clear();  // those before the block are over
  position_ = first + block->rows;
  while (next_extent_ < extents_.size() && extents_[next_extent_].first < position_) ++next_extent_;
}

void JournalRows::start_over() {
  position_ = 0;
  next_extent_ = 0;
  active_.clear();
}

// If points were simulated twice, the sum is too large.
void JournalRows::count_again() {
  by_status_ = {};
  for (results::Launch& launch : launches_) launch.points = 0;
  std::vector<results::FinishedRow> one(1);
  for (std::int64_t i = 0; i < size(); ++i) {
    read(i, one);
    ++by_status_.at(at(one.front().row.report.status));
    ++std::ranges::find(launches_, one.front().launch, &results::Launch::number)->points;
  }
}

// Afterwards the next number is that of the foremost active extent.
void JournalRows::activate_extents() {
  std::erase_if(active_, [](const ExtentCursor& cursor) { return cursor.is_over(); });
  while (next_extent_ < extents_.size()) {
    const Extent& next = extents_[next_extent_];
    if (!active_.empty() && next.first > std::ranges::min_element(active_, {}, &ExtentCursor::id)->id())
      return;
    active_.emplace_back(files_[at(next.file)], next, *frames_);
    ++next_extent_;
  }
}

void JournalRows::read(std::int64_t first, std::span<results::FinishedRow> out) {
  ECHO_EXPECT(first == 0 || first == position_);
  ECHO_EXPECT(first + static_cast<std::int64_t>(out.size()) <= size());
  if (first == 0) start_over();
  for (auto& finished : out) {
    activate_extents();
    const auto kept = std::ranges::min_element(
        active_, {}, [](const ExtentCursor& c) { return std::tuple(c.id(), rank_of(c.extent())); });
    const sweep::PointIndex id = kept->id();
    const JournalHeader& header = headers_[at(kept->extent().file)];
    finished = {kept->row(), header.launch, header.worker};
    for (ExtentCursor& cursor : active_)
      if (cursor.id() == id) cursor.advance();
    ++position_;
  }
}

}  // namespace echo::parallel
