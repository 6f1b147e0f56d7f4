#include "profilers/kernels/launch_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <tuple>

#include "base/error.hpp"
#include "ops/kernel_fields.hpp"
#include "profilers/kernels/kernel_plan.hpp"

namespace echo::profilers {

namespace {

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string cell(const ops::KernelField& field, const ops::KernelKey& key) {
  const std::int32_t value = field.get(key);
  return field.names.empty() ? std::to_string(value)
                             : std::string(field.names[static_cast<std::size_t>(value)]);
}

// "12.345 12.4" in microseconds; nothing where it is anything else.
std::optional<std::vector<double>> times_in(std::string_view text) {
  std::vector<double> seconds;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at != end) {
    if (*at == ' ') {
      ++at;
      continue;
    }
    double microseconds = 0.0;
    const auto [next, problem] = std::from_chars(at, end, microseconds);
    const double nanoseconds = std::round(microseconds * 1e3);  // as CUPTI counts
    const bool is_time = problem == std::errc() && nanoseconds >= 1.0 && std::isfinite(nanoseconds);
    if (!is_time || (next != end && *next != ' ')) return std::nullopt;
    seconds.push_back(nanoseconds * 1e-9);
    at = next;
  }
  if (seconds.empty()) return std::nullopt;
  return seconds;
}

// Names hold no blanks, texts no zero bytes: no file could hold them.
bool is_name(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) { return c > ' '; });
}
bool is_text(std::string_view text) { return text.find('\0') == std::string_view::npos; }

RunOrigin origin_in(const CsvTable& table, std::size_t row, std::vector<Problem>& problems) {
  for (const char* column : {"library_version", "how", "date"})
    if (!is_text(table.text(row, column)))
      problems.push_back({table.place(row, column), "the text contains a zero byte", "remove it"});
  return {.library = std::string(table.text(row, "library_version")),
          .how = std::string(table.text(row, "how")),
          .date = std::string(table.text(row, "date"))};
}

LaunchTrain train_in(const CsvTable& table, std::size_t row, std::vector<Problem>& problems) {
  LaunchTrain train;
  if (const auto times = times_in(table.text(row, "launches_us")))
    train.seconds = *times;
  else
    problems.push_back({table.place(row, "launches_us"), "these are not times",
                        "write microseconds, 0.001 or more, with blanks between them"});
  try {
    train.clock_mhz = std::max(0.0, table.number(row, "clock_mhz").value_or(0.0));
  } catch (const UserError& error) {
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
  }
  return train;
}

constexpr const char* column_words =
    "gpu, the members of a kernel's key, library_version, how, date, "
    "clock_mhz, launches_us";

}  // namespace

std::string launch_table_header() {
  std::string line = "gpu";
  for (const ops::KernelField& field : ops::kernel_fields()) line += "," + std::string(field.name);
  return line + ",library_version,how,date,clock_mhz,launches_us\n";
}

std::string launch_table_rows(const KernelRuns& runs) {
  std::string key = runs.gpu;
  for (const ops::KernelField& field : ops::kernel_fields()) key += "," + cell(field, runs.key);
  key += fmt::format(",{},{},{}", in_quotes(runs.origin.library), in_quotes(runs.origin.how),
                     in_quotes(runs.origin.date));
  std::string text;
  for (const LaunchTrain& train : runs.trains) {
    text += key + "," + (train.clock_mhz > 0.0 ? fmt::format("{}", train.clock_mhz) : "") + ",";
    for (std::size_t i = 0; i < train.seconds.size(); ++i)
      text += fmt::format("{}{:.3f}", i == 0 ? "" : " ", train.seconds[i] * 1e6);
    text += "\n";
  }
  return text;
}

std::vector<KernelRuns> read_launch_table(const CsvTable& table) {
  std::vector<Problem> problems;
  for (const char* needed : {"gpu", "launches_us"})
    if (!table.has(needed))
      problems.push_back({table.header_place(), "no column \"" + std::string(needed) + "\"",
                          "a table of launches needs " + std::string(column_words)});
  if (!problems.empty()) throw UserError(std::move(problems));
  std::vector<KernelRuns> all;
  std::map<std::tuple<std::string, ops::KernelKey, RunOrigin>, std::size_t> places;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto key = read_kernel(table, row, problems);
    const LaunchTrain train = train_in(table, row, problems);
    const RunOrigin origin = origin_in(table, row, problems);
    const std::string gpu(table.text(row, "gpu"));
    if (!is_name(gpu))
      problems.push_back(
          {table.place(row, "gpu"), "no GPU", "write the preset's name of the GPU, without blanks"});
    if (!problems.empty()) continue;
    const auto [place, is_new] = places.try_emplace({gpu, *key, origin}, all.size());
    if (is_new) all.push_back({.gpu = gpu, .key = *key, .origin = origin, .trains = {}});
    all[place->second].trains.push_back(train);
  }
  if (!problems.empty()) throw UserError(std::move(problems));
  return all;
}

void append_launches(const std::string& path, const std::string& rows) {
  std::error_code ignored;
  const bool is_new =
      !std::filesystem::exists(path, ignored) || std::filesystem::file_size(path, ignored) == 0;
  std::ofstream file(path, std::ios::app | std::ios::binary);
  file << (is_new ? launch_table_header() : "") << rows;
  file.flush();
  if (!file) throw UserError("cannot write \"" + path + "\"", "check that the folder exists and has room", 5);
}

}  // namespace echo::profilers
