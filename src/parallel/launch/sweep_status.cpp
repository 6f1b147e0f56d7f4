#include "parallel/launch/sweep_status.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/error.hpp"
#include "parallel/dispatch/shard.hpp"
#include "parallel/journal/journal.hpp"
#include "parallel/journal/journal_rows.hpp"

namespace echo::parallel {
namespace {

using Seconds = std::chrono::duration<double>;

// Bytes in the journals, and when the newest was written.
std::optional<std::chrono::system_clock::time_point> look_at_files(const std::filesystem::path& folder,
                                                                   std::int64_t& bytes) {
  std::optional<std::filesystem::file_time_type> newest;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".rows") continue;
    const auto time = entry.last_write_time(error);
    bytes += static_cast<std::int64_t>(entry.file_size(error));
    newest = newest ? std::max(*newest, time) : time;
  }
  if (!newest) return std::nullopt;
  return std::chrono::time_point_cast<std::chrono::system_clock::duration>(
      std::chrono::file_clock::to_sys(*newest));
}

// "2026-11-20T04:41:07Z".
std::optional<std::chrono::sys_seconds> parse_utc(const std::string& text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (std::sscanf(text.c_str(), "%d-%d-%dT%d:%d:%dZ", &year, &month, &day, &hour, &minute, &second) != 6)
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
}

void look_at_journals(const std::filesystem::path& file, const std::string& sweep_key, SweepStatus& status) {
  const auto folder = journal_folder(file);
  const JournalRows rows(folder, sweep_key);
  const auto newest_write = look_at_files(folder, status.journal_bytes);
  if (newest_write)  // times are only shown
    status.journal_age = std::max(0.0, Seconds(std::chrono::system_clock::now() - *newest_write).count());
  status.torn_bytes = rows.torn_bytes();
  status.launches = rows.launches();
  if (rows.headers().empty()) return;
  const results::FileHeader& sweep = rows.headers().back().sweep;
  status.state = SweepStatus::State::resumable;
  status.name = sweep.name;
  status.shard = sweep.shard;
  status.total = ids_of(parse_shard(sweep.shard), sweep.ids).count();
  status.done = std::max(status.done, rows.size());
  if (rows.size() >= status.done) status.by_status = rows.by_status();
  const results::Launch& newest = status.launches.back();
  status.launch_rows = newest.points;
  const auto start = parse_utc(newest.start);
  if (start && newest_write && *newest_write > *start)
    status.journal_seconds = Seconds(*newest_write - *start).count();
  if (status.holder == Holder::gone)
    status.quarantine = find_quarantine(folder, sweep.sweep_key, rows.done(), rows.failures());
}

// The state in the file; damage where there are rows elsewhere is no reason to stop.
std::optional<results::FileState> stored_state(const std::filesystem::path& file, SweepStatus& status) {
  try {
    return results::read_state(file);
  } catch (const UserError& error) {
    if (JournalRows(journal_folder(file), "").size() == 0) throw;
    status.damage = error.what();
    return std::nullopt;
  }
}

}  // namespace

SweepStatus look_at(const std::filesystem::path& file) {
  SweepStatus status;
  status.lock = read_lock(lock_file(file));
  if (status.lock) status.holder = judge_holder(status.lock->holder, this_process(), is_running_here);
  const auto stored = stored_state(file, status);
  if (stored) {
    status.name = stored->name;
    status.shard = stored->shard;
    status.rows_digest = stored->rows_digest;
    status.total = ids_of(parse_shard(stored->shard), stored->ids).count();
    status.done = stored->rows;
    status.by_status = stored->by_status;
    const bool is_whole = stored->complete || status.done >= status.total;
    status.state = is_whole ? SweepStatus::State::complete : SweepStatus::State::resumable;
  }
  const bool is_at_rest = status.state == SweepStatus::State::complete && status.holder == Holder::gone;
  if (!is_at_rest) look_at_journals(file, "", status);
  if (status.holder != Holder::gone) {
    status.state = SweepStatus::State::running;
    if (!status.launches.empty()) status.launches.back().stop_reason = "running";
  }
  return status;
}

std::optional<double> rate_of(const SweepStatus& status) {
  if (!status.journal_seconds || status.launch_rows == 0) return std::nullopt;
  return static_cast<double>(status.launch_rows) / *status.journal_seconds;
}

std::optional<double> seconds_left(const SweepStatus& status) {
  const auto rate = rate_of(status);
  if (!rate) return std::nullopt;
  return static_cast<double>(std::max<std::int64_t>(status.total - status.done, 0)) / *rate;
}

}  // namespace echo::parallel
