#include "nsight/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/at.hpp"
#include "nsight/sqlite.hpp"

namespace echo::nsight {
namespace {

constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max() / 4, longest = 10'000'000'000'000;
constexpr std::size_t most_rows = 20'000'000;

// Bits 24 to 47 of globalPid and globalTid, according to NVIDIA's guide to the export; the low ones are the
// thread.
std::int64_t process_of(std::optional<std::int64_t> global) { return global.value_or(0) >> 24 & 0xFFFFFF; }
std::int64_t thread_of(std::optional<std::int64_t> global) { return global.value_or(0); }

// CUpti_ActivityMemcpyKind.
std::string_view copy_name(std::optional<std::int64_t> kind) {
  switch (kind.value_or(0)) {
    case 1:
    case 3:
      return "Memcpy HtoD";
    case 2:
    case 4:
      return "Memcpy DtoH";
    case 10:
      return "Memcpy PtoP";
    default:
      return "Memcpy DtoD";
  }
}

class Reader {
 public:
  explicit Reader(const std::string& path) : file_(path) {}

  Timeline read(std::int32_t step) {
    if (file_.columns("CUPTI_ACTIVITY_KIND_KERNEL").empty())
      file_.refuse(
          "it has no table CUPTI_ACTIVITY_KIND_KERNEL; trace with --trace=cuda,nvtx --cuda-graph-trace=node");
    choose(step);
    read_calls();
    read_ranges();
    read_activities("CUPTI_ACTIVITY_KIND_KERNEL", TimelineActivity::Kind::kernel);
    read_activities("CUPTI_ACTIVITY_KIND_MEMCPY", TimelineActivity::Kind::memcpy);
    read_activities("CUPTI_ACTIVITY_KIND_MEMSET", TimelineActivity::Kind::memset);
    read_waits();
    read_gpu();
    if (out_.activities.empty()) file_.refuse("the GPU is idle in the step; choose another step");
    return std::move(out_);
  }

 private:
  // Rows of a table, its columns in the order asked for, NULL for those it does not have; none where it does
  // not have those that are `needed` (the first so many).
  std::optional<SqliteQuery> rows(const std::string& table, const std::vector<std::string>& wanted,
                                  std::size_t needed, const std::string& where = "") {
    const std::vector<std::string> columns = file_.columns(table);
    std::string list;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const bool has = std::find(columns.begin(), columns.end(), wanted[i]) != columns.end();
      if (!has && i < needed) return std::nullopt;
      list += (list.empty() ? "" : ", ") + (has ? "\"" + wanted[i] + "\"" : std::string("NULL"));
    }
    return std::optional<SqliteQuery>(std::in_place, file_, "SELECT " + list + " FROM " + table + where);
  }
  std::string within() const { return fmt::format(" WHERE start >= {} AND start < {}", from_, until_); }

  // Whether the times of a range or a call are valid; false where it has none.
  static bool is_sound(std::optional<std::int64_t> start, std::optional<std::int64_t> end) {
    return start && end && *start >= 0 && *end >= *start && *end <= latest && *end - *start <= longest;
  }
  void add_row() {
    if (++rows_ > most_rows) file_.refuse("more than 20 000 000 rows; trace fewer steps");
  }

  std::int32_t name(std::string_view text) {
    const auto [found, is_new] =
        names_.try_emplace(std::string(text), static_cast<std::int32_t>(out_.names.size()));
    if (is_new) out_.names.emplace_back(text);
    return found->second;
  }
  std::int32_t name_of(std::optional<std::int64_t> id) {
    const auto [found, is_new] = ids_.try_emplace(id.value_or(-1), 0);
    if (!is_new) return found->second;
    std::string text;
    if (id && has_strings_) {
      SqliteQuery strings(file_, "SELECT value FROM StringIds WHERE id = ?");
      strings.bind(*id);
      if (strings.next()) text = strings.text(0).value_or("");
    }
    return found->second = name(text);
  }

  struct Mark {
    std::int64_t start = 0, end = 0;
    std::string text;
  };
  void choose(std::int32_t step) {
    if (step == whole_report) return;
    std::map<std::int64_t, Mark> marks;
    if (auto query = rows("NVTX_EVENTS", {"start", "end", "text", "textId"}, 2)) {
      while (query->next()) {
        const auto start = query->integer(0), end = query->integer(1);
        std::string text = query->text(2).value_or("");
        if (text.empty() && query->integer(3)) text = out_.names[at(name_of(query->integer(3)))];
        if (const std::int64_t number = step_number(text); number >= 0 && is_sound(start, end))
          marks.try_emplace(number, Mark{*start, *end, text});
      }
    }
    if (marks.empty() && step >= 0) file_.refuse("no NVTX range marks steps; omit the step");
    if (marks.empty()) return;
    auto chosen = std::next(marks.begin(), static_cast<std::ptrdiff_t>(marks.size() / 2));
    if (step >= 0) chosen = marks.find(step);
    if (chosen == marks.end())
      file_.refuse(fmt::format("it has no step {}; it has {} to {}", step, marks.begin()->first,
                               marks.rbegin()->first));
    out_.label = chosen->second.text;
    out_.start = from_ = chosen->second.start;
    until_ = chosen->second.end;
  }

  void read_calls() {
    auto query = rows("CUPTI_ACTIVITY_KIND_RUNTIME", {"start", "end", "correlationId", "globalTid", "nameId"},
                      2, within());
    while (query && query->next()) {
      const auto start = query->integer(0), end = query->integer(1);
      if (!is_sound(start, end)) continue;
      add_row();
      const std::int64_t process = process_of(query->integer(3)),
                         correlation = query->integer(2).value_or(-1);
      out_.calls.push_back(
          {name_of(query->integer(4)), process, thread_of(query->integer(3)), *start, *end, correlation});
      called_[process].insert(correlation);
    }
  }

  void read_ranges() {
    auto query = rows("NVTX_EVENTS", {"start", "end", "globalTid", "text", "textId"}, 2, within());
    while (query && query->next()) {
      const auto start = query->integer(0), end = query->integer(1);
      if (!is_sound(start, end)) continue;
      add_row();
      const auto text = query->text(3);
      const std::int32_t place = text ? name(*text) : name_of(query->integer(4));
      out_.ranges.push_back(
          {place, process_of(query->integer(2)), thread_of(query->integer(2)), *start, *end});
    }
  }

  void read_activities(const std::string& table, TimelineActivity::Kind kind) {
    using Kind = TimelineActivity::Kind;
    const bool by_call = !called_.empty();
    auto query = rows(
        table,
        {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes",
         kind == Kind::memcpy ? "copyKind" : "demangledName", "shortName", "gridX", "gridY", "gridZ",
         "blockX", "blockY", "blockZ", "registersPerThread", "staticSharedMemory", "dynamicSharedMemory"},
        4, by_call ? "" : within());
    while (query && query->next()) {
      const auto start = query->integer(0), end = query->integer(1);
      if (!is_sound(start, end) || *end == 0) continue;
      TimelineActivity one{kind,
                           0,
                           process_of(query->integer(5)),
                           query->integer(2).value_or(0),
                           query->integer(3).value_or(0),
                           *start,
                           *end,
                           query->integer(4).value_or(-1)};
      if (by_call && !is_called(one)) continue;
      add_row();
      one.bytes = std::clamp<std::int64_t>(query->integer(6).value_or(0), 0, std::int64_t{1} << 50);
      if (kind == Kind::kernel)
        read_launch(*query, one);
      else
        one.name = name(kind == Kind::memcpy ? copy_name(query->integer(7)) : "Memset");
      out_.activities.push_back(one);
    }
  }
  void read_launch(const SqliteQuery& query, TimelineActivity& one) {
    const auto value = [&](int column, std::int64_t otherwise) {
      constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
      const auto found = query.integer(column);
      return found && *found >= 0 ? std::min(*found, most) : otherwise;
    };
    one.name = name_of(query.integer(7) ? query.integer(7) : query.integer(8));
    for (int axis = 0; axis < 3; ++axis)
      one.grid[at(axis)] = value(9 + axis, 0), one.block[at(axis)] = value(12 + axis, 0);
    one.registers = value(15, -1);
    if (query.integer(16) || query.integer(17)) one.shared_memory = value(16, 0) + value(17, 0);
  }
  [[nodiscard]] bool is_called(const TimelineActivity& one) const {
    const auto found = called_.find(one.process);
    return found != called_.end() && found->second.contains(one.correlation);
  }

  // cudaStreamWaitEvent gives the event; the last record of the event before the wait gives the stream.
  void read_waits() {
    struct Record {
      std::int64_t time = 0, stream = -1, correlation = -1;
    };
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Record>> records;  // by process and event
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> times;           // of calls
    for (const TimelineCall& call : out_.calls) times[{call.process, call.correlation}] = call.start;
    auto events =
        rows("CUPTI_ACTIVITY_KIND_CUDA_EVENT", {"eventId", "streamId", "correlationId", "globalPid"}, 3);
    while (events && events->next()) {
      const std::int64_t process = process_of(events->integer(3)),
                         correlation = events->integer(2).value_or(-1);
      if (const auto time = times.find({process, correlation}); time != times.end())
        records[{process, events->integer(0).value_or(-1)}].push_back(
            {time->second, events->integer(1).value_or(-1), correlation});
    }
    for (auto& [event, list] : records)
      std::sort(list.begin(), list.end(), [](const Record& a, const Record& b) { return a.time < b.time; });
    auto query =
        rows("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
             {"start", "correlationId", "streamId", "syncType", "eventId", "globalPid"}, 4, within());
    while (query && query->next()) {
      TimelineWait wait{process_of(query->integer(5)), query->integer(1).value_or(-1)};
      constexpr std::int64_t context = 4, most_streams = std::numeric_limits<std::int32_t>::max();
      const std::int64_t stream = query->integer(2).value_or(-1);
      if (query->integer(3).value_or(0) != context && stream >= 0 && stream < most_streams)
        wait.stream = stream;
      const auto found = records.find({wait.process, query->integer(4).value_or(-1)});
      const auto time = times.find({wait.process, wait.correlation});
      if (found != records.end() && time != times.end())
        for (const Record& record : found->second)
          if (record.time <= time->second)
            wait.for_stream = record.stream, wait.for_record = record.correlation;
      add_row();
      out_.waits.push_back(wait);
    }
  }

  void read_gpu() {
    constexpr std::int64_t most_sms = 4096;
    auto query = rows("TARGET_INFO_GPU", {"name", "smCount"}, 1);
    if (!query || !query->next()) return;
    out_.gpu = query->text(0).value_or("");
    const std::int64_t sms = query->integer(1).value_or(0);
    if (sms >= 1 && sms <= most_sms) out_.sm_count = static_cast<std::int32_t>(sms);
  }

  SqliteFile file_;
  Timeline out_;
  bool has_strings_ = !file_.columns("StringIds").empty();
  std::int64_t from_ = 0, until_ = latest;
  std::size_t rows_ = 0;
  std::unordered_map<std::string, std::int32_t> names_;
  std::unordered_map<std::int64_t, std::int32_t> ids_;               // names, by StringIds
  std::map<std::int64_t, std::unordered_set<std::int64_t>> called_;  // correlations of the step, by process
};

}  // namespace

std::int64_t step_number(std::string_view text) {
  constexpr std::array<std::string_view, 4> words{"profilerstep", "iteration", "iter", "step"};
  std::string lower(text.substr(0, 64));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string_view word : words) {
    if (!lower.starts_with(word)) continue;
    const std::size_t digits = lower.find_first_not_of(" _#:=-", word.size());
    if (digits == lower.npos) return -1;
    std::int64_t number = -1;
    const auto [end, code] = std::from_chars(lower.data() + digits, lower.data() + lower.size(), number);
    return code == std::errc{} && end == lower.data() + lower.size() && number >= 0 ? number : -1;
  }
  return -1;
}

Timeline read_timeline(const std::string& path, std::int32_t step) { return Reader(path).read(step); }

}  // namespace echo::nsight
