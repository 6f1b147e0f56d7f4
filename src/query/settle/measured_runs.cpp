#include "query/settle/measured_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/problems.hpp"
#include "config/toml/units.hpp"
#include "query/text/value_text.hpp"
#include "training/feasibility.hpp"

namespace echo::query {

namespace {

using results::ColumnInfo;
using results::ResultFile;
using results::RunOfRow;

constexpr std::array<std::string_view, 4> time_columns{"step_time", "step_time_s", "step_time_ms", "steps"};
constexpr std::array<std::string_view, 4> not_read{"row_id", "source", "reference", "note"};
constexpr double farthest = 20.0;  // measured over predicted time, or its inverse: beyond, the unit is wrong
constexpr std::size_t digits_of_id = 16;

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}
bool is_id(std::string_view name) { return name == "id" || name == "config_id"; }

std::string hex_of(std::int64_t id) { return fmt::format("{:016x}", static_cast<std::uint64_t>(id)); }

std::optional<double> number_in(std::string_view text) {
  double value = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A column of the table that is an input of the file.
struct Input {
  std::string name;  // in the table
  const ColumnInfo* column;
  std::map<std::string, double, std::less<>> codes;  // of the values that rows have, by their words

  [[nodiscard]] std::optional<double> code_of(std::string_view cell) const {
    if (const auto found = codes.find(cell); found != codes.end()) return found->second;
    const auto number = number_in(cell);  // 8.0 for 8
    for (const auto& [word, code] : codes)
      if (number && number_in(word) == number) return code;
    const std::string_view other = cell == "true" || cell == "1"    ? "on"
                                   : cell == "false" || cell == "0" ? "off"
                                   : cell == "on"                   ? "true"
                                   : cell == "off"                  ? "false"
                                                                    : "";
    const auto flag = codes.find(other);
    return flag == codes.end() ? std::nullopt : std::optional(flag->second);
  }
};

class MeasuredTable {
 public:
  MeasuredTable(const CsvTable& table, const ResultFile& file, const std::vector<RunOfRow>& known)
      : table_(table), file_(file) {
    for (const RunOfRow& run : known) seen_[run.row] = "an earlier update";
  }

  std::vector<RunOfRow> read() {
    look_at_header();
    problems_.throw_if_any();
    std::vector<RunOfRow> runs;
    load_rows();
    for (std::size_t line = 0; line < table_.rows(); ++line) {
      const int before = problems_.errors();
      RunOfRow run{row_of(line), seconds_of(line), steps_of(line)};
      if (problems_.errors() > before) continue;
      check(line, run);
      runs.push_back(run);
    }
    problems_.throw_if_any();
    return runs;
  }

 private:
  void look_at_header() {
    int times = 0, ids = 0;
    for (const std::string& name : table_.columns()) {
      if (name == "steps" || is_among(not_read, name)) continue;
      if (is_among(time_columns, name)) {
        ++times, time_column_ = name;
      } else if (is_id(name)) {
        ++ids, id_column_ = name;
      } else if (const ColumnInfo* column = file_.find(name == "num_gpus" ? "gpus" : name);
                 column != nullptr && column->role == "input" && !column->is_real()) {
        inputs_.push_back({name, column, {}});
      } else {
        problems_.error(
            table_.header_place(name), "the file has no input \"" + name + "\"",
            "columns are id, or inputs of the file such as tp; step_time_s, step_time_ms or step_time "
            "with units; steps; row_id, source, reference and note are not read");
      }
    }
    if (times != 1)
      problems_.error(
          table_.header_place(),
          times == 0 ? "no column has the measured step time" : "several columns have the measured step time",
          "name one of step_time_s, step_time_ms, and step_time with a unit in each cell");
    if (ids == 0 && inputs_.empty())
      problems_.error(table_.header_place(), "no column says which rows were run",
                      "add id, the first digits of config_id, or inputs of the file such as tp,pp,gpus");
    if (table_.rows() == 0)
      problems_.error(table_.header_place(), "the table has a header but no rows", "add one run per line");
  }

  // The inputs that the table names of all rows, and their ids: one pass over the file.
  void load_rows() {
    std::vector<std::string> columns{"status", "step_time"};
    for (const Input& input : inputs_) columns.push_back(input.column->name);
    values_.resize(columns.size());
    std::vector<std::int64_t> ids;
    for (results::Scan scan(file_, columns); scan.next();) {
      for (std::size_t c = 0; c < columns.size(); ++c)
        values_[c].insert(values_[c].end(), scan.values(c).begin(), scan.values(c).end());
      file_.read(file_.at("config_id"), scan.first(), scan.count(), ids);
      ids_.insert(ids_.end(), ids.begin(), ids.end());
    }
    for (std::size_t c = 0; c < inputs_.size(); ++c)
      for (const double value : std::set<double>(values_[c + 2].begin(), values_[c + 2].end()))
        inputs_[c].codes.emplace(value_text(*inputs_[c].column, value), value);
  }
  [[nodiscard]] bool has_step(std::size_t row) const {
    return static_cast<training::Status>(values_[0][row]) == training::Status::ok && values_[1][row] > 0.0;
  }

  std::int64_t row_of(std::size_t line) {
    const std::string_view id = id_column_.empty() ? "" : table_.text(line, id_column_);
    return id.empty() ? row_by_inputs(line) : row_by_id(line, id);
  }

  std::int64_t row_by_id(std::size_t line, std::string_view id) {
    std::string low(id);
    std::ranges::transform(low, low.begin(), [](unsigned char c) { return std::tolower(c); });
    std::vector<std::size_t> found;
    for (std::size_t row = 0; row < ids_.size() && low.size() <= digits_of_id; ++row)
      if (hex_of(ids_[row]).starts_with(low)) found.push_back(row);
    const Place place = table_.place(line, id_column_);
    if (found.size() != 1) {
      problems_.error(
          place,
          fmt::format("{} row of the file has the id \"{}\"", found.empty() ? "no" : "more than one", id),
          "give the digits that echo-sweep top prints, or all 16 of config_id");
      return -1;
    }
    if (!has_step(found[0])) {
      problems_.error(place, fmt::format("row {} is not feasible: nothing was predicted of it", id),
                      "echo-sweep show says why; leave the line out");
      return -1;
    }
    return static_cast<std::int64_t>(found[0]);
  }

  std::int64_t row_by_inputs(std::size_t line) {
    const int before = problems_.errors();
    std::vector<std::pair<std::size_t, double>> wanted;  // [column of values_]
    for (std::size_t c = 0; c < inputs_.size(); ++c) {
      const std::string_view cell = table_.text(line, inputs_[c].name);
      if (cell.empty()) continue;
      const std::optional<double> code = inputs_[c].code_of(cell);
      if (!code)
        problems_.error(table_.place(line, inputs_[c].name),
                        fmt::format("no row of the file has {} = \"{}\"", inputs_[c].name, cell),
                        "echo-sweep export FILE --columns lists the values");
      wanted.emplace_back(c + 2, code.value_or(0.0));
    }
    if (problems_.errors() > before) return -1;
    if (wanted.empty()) {
      problems_.error(table_.place(line), "the line does not say which row was run",
                      "give its id, or inputs such as tp and pp");
      return -1;
    }
    std::vector<std::size_t> found;
    for (std::size_t row = 0; row < ids_.size(); ++row)
      if (has_step(row) &&
          std::ranges::all_of(wanted, [&](const auto& one) { return values_[one.first][row] == one.second; }))
        found.push_back(row);
    if (found.size() == 1) return static_cast<std::int64_t>(found[0]);
    problems_.error(table_.place(line, inputs_.front().name),
                    found.empty() ? "no feasible row of the file has these inputs"
                                  : fmt::format("{} feasible rows of the file have these inputs: {}, {} ...",
                                                found.size(), hex_of(ids_[found[0]]), hex_of(ids_[found[1]])),
                    found.empty() ? "give inputs as the file has them, or the id that echo-sweep top prints"
                                  : "add inputs that tell them apart, or the id");
    return -1;
  }

  double seconds_of(std::size_t line) {
    const Place place = table_.place(line, time_column_);
    const std::string_view cell = table_.text(line, time_column_);
    double seconds = 0.0;
    if (time_column_ == "step_time") {
      config::UnitProblem problem;
      const auto value = config::parse_quantity(cell, config::UnitKind::duration, time_column_, problem);
      if (!value) {
        problems_.error(place, problem.what, problem.remedy);
        return 0.0;
      }
      seconds = static_cast<double>(*value);
    } else {
      const auto value = number_in(cell);
      if (!value) {
        problems_.error(place,
                        fmt::format("\"{}\" is not a number of {}", cell,
                                    time_column_ == "step_time_ms" ? "milliseconds" : "seconds"),
                        "give the mean step time as a plain number");
        return 0.0;
      }
      seconds = *value * (time_column_ == "step_time_ms" ? 1e-3 : 1.0);
    }
    if (!(seconds > 0.0 && std::isfinite(seconds)))
      problems_.error(place, "a step takes longer than nothing", "give the measured mean step time");
    return seconds;
  }

  std::int64_t steps_of(std::size_t line) {
    const std::string_view cell = table_.text(line, "steps");
    if (cell.empty()) return assumed_steps;
    constexpr double most = 1e9;
    const auto value = number_in(cell);
    if (!value || *value < 1.0 || *value > most || *value != std::floor(*value)) {
      problems_.error(table_.place(line, "steps"), fmt::format("\"{}\" is no number of steps", cell),
                      "give how many steps the mean is of, or leave the cell blank");
      return 1;
    }
    return std::llround(*value);
  }

  // A sound line: is it the first of its row, and in the unit that it says?
  void check(std::size_t line, const RunOfRow& run) {
    const Place place = id_column_.empty() ? table_.place(line) : table_.place(line, id_column_);
    const std::string here = fmt::format("line {}", place.line);
    const auto [earlier, is_new] = seen_.try_emplace(run.row, here);
    if (!is_new)
      problems_.error(place,
                      fmt::format("row {} is measured twice: here and in {}",
                                  hex_of(ids_[static_cast<std::size_t>(run.row)]), earlier->second),
                      "join repeated runs into one line: the mean of their means");
    const double predicted = values_[1][static_cast<std::size_t>(run.row)];
    if (const double ratio = run.step_time / predicted; ratio > farthest || ratio < 1.0 / farthest)
      problems_.error(
          table_.place(line, time_column_),
          fmt::format("{:.4g} s is {:.3g} times the {:.4g} s predicted", run.step_time, ratio, predicted),
          "check the unit and the row; predictions are not that far off");
  }

  const CsvTable& table_;
  const ResultFile& file_;
  Problems problems_;
  std::vector<Input> inputs_;
  std::string time_column_, id_column_;
  std::vector<std::vector<double>> values_;  // status, step time, then inputs_
  std::vector<std::int64_t> ids_;
  std::map<std::int64_t, std::string> seen_;  // where a row was measured
};

}  // namespace

std::vector<RunOfRow> read_measured_runs(const CsvTable& table, const ResultFile& file,
                                         const std::vector<RunOfRow>& known) {
  return MeasuredTable(table, file, known).read();
}

}  // namespace echo::query
