// Problem: a row has a hundred columns, a terminal a hundred characters. Idea: each column of the table has a
// rank of importance. What was asked for (the metric, the axes that vary) is never left out; then come the
// layout, the error, the memory and the rates, then settings in which the rows shown happen to differ, then
// the shares of the step. Inputs that are equal in all rows shown cost one line above the table instead of a
// column each.
#include "query/text/ranked_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "config/toml/did_you_mean.hpp"
#include "query/text/band_text.hpp"
#include "query/text/breakdown.hpp"
#include "query/text/result_text.hpp"
#include "query/text/value_text.hpp"
#include "results/rank/robust_front.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::query {

namespace {

using results::ColumnInfo;
using results::Table;

enum class Importance : std::int8_t { share, setting, rate, memory, error, layout, needed };

struct ShownColumn {
  std::string heading, meaning;  // heading: '<' before it: aligned left
  Importance importance = Importance::needed;
  bool is_input = false;  // and may be written above the table
  std::vector<std::string> cells;

  [[nodiscard]] std::string title() const { return heading.substr(heading.starts_with('<') ? 1 : 0); }
  [[nodiscard]] std::size_t width() const {
    std::size_t most = title().size();
    for (const std::string& cell : cells) most = std::max(most, cell.size());
    return most;
  }
  [[nodiscard]] bool is_constant() const {
    return std::ranges::all_of(cells, [this](const std::string& cell) { return cell == cells.front(); });
  }
};

// Inputs with a place of their own, and their headings.
struct Place {
  std::string_view column, heading;
};
constexpr std::array<Place, 16> places{{{"model", "<model"},
                                        {"cluster", "<cluster"},
                                        {"gpus", "gpus"},
                                        {"tp", "tp"},
                                        {"pp", "pp"},
                                        {"dp", "dp"},
                                        {"cp", "cp"},
                                        {"ep", "ep"},
                                        {"etp", "etp"},
                                        {"vpp", "vpp"},
                                        {"micro_batch", "mbs"},
                                        {"global_batch", "gbs"},
                                        {"schedule", "<schedule"},
                                        {"zero", "zero"},
                                        {"recompute", "<rec"},
                                        {"sequence_parallel", "sp"}}};
constexpr std::array<Place, 4> metric_headings{{{"step_time", "step"},
                                                {"tokens_per_s_per_gpu", "tok/s/GPU"},
                                                {"mfu", "MFU"},
                                                {"rel_error_p90", "+-80%"}}};

// "" for the first row, "tie 63 %", "97 %".
std::string chance_text(double chance, std::int64_t row) {
  if (row == 0) return "";
  return fmt::format("{}{:.0f} %", chance < results::sure ? "tie " : "", 100.0 * chance);
}

std::string memory_of(const Table& table, std::int64_t row) {
  constexpr double gib = 1073741824.0;
  const double peak = table.number("mem_peak", row), limit = table.number("mem_limit", row);
  if (!std::isfinite(peak)) return "-";  // for a replayed step
  const auto* chance = table.find("fit_chance");
  const double fits = chance == nullptr ? 1.0 : table.number("fit_chance", row);
  return fmt::format("{:.0f}/{:.0f} GiB{}", peak / gib, limit / gib,
                     fits < 0.995 ? fmt::format(" {:.0f} %", 100.0 * fits) : "");
}

class Columns {
 public:
  Columns(const results::ResultRows& all, const Table& table, const RankedTable& request)
      : all_(all), table_(table), request_(request) {}

  std::vector<ShownColumn> choose() {
    rank_and_id();
    if (!request_.columns.empty()) {
      for (const std::string& name : request_.columns) add_named(name);
      add_notes();
      return std::move(columns_);
    }
    for (const auto& [column, heading] : places)
      if (is_shown(column)) add_input(table_.at(column), std::string(heading), needs(column));
    for (const ColumnInfo* column : others()) add_input(*column, column->name, needs(column->name));
    add_metrics();
    add_shares();
    add_notes();
    return std::move(columns_);
  }

 private:
  template <class Cell>
  void add(std::string heading, std::string meaning, Importance importance, Cell cell) {
    ShownColumn column{std::move(heading), std::move(meaning), importance, false, {}};
    for (std::int64_t row = 0; row < table_.rows(); ++row) column.cells.push_back(cell(row));
    columns_.push_back(std::move(column));
  }

  void rank_and_id() {
    const auto digits = static_cast<std::size_t>(key_digits(all_, table_));
    add("#", "rank", Importance::needed, [](std::int64_t row) { return std::to_string(row + 1); });
    add("<id", "the first digits of config_id, which names a config in any file", Importance::needed,
        [&](std::int64_t row) { return config_key(table_, row).substr(0, digits); });
  }

  [[nodiscard]] bool is_axis(std::string_view name) const {
    return std::ranges::find(request_.axes, name) != request_.axes.end();
  }
  [[nodiscard]] Importance needs(std::string_view name) const {
    constexpr std::array<std::string_view, 9> layout{"gpus", "tp",  "pp",  "dp",         "cp",
                                                     "ep",   "etp", "vpp", "micro_batch"};
    if (is_axis(name)) return Importance::needed;
    return std::ranges::find(layout, name) != layout.end() ? Importance::layout : Importance::setting;
  }
  // Degrees that are 1 in most sweeps are shown where some row has another, or where they vary.
  [[nodiscard]] bool is_shown(std::string_view name) const {
    if (table_.find(name) == nullptr) return false;
    if ((name != "cp" && name != "ep" && name != "etp") || is_axis(name)) return true;
    for (std::int64_t row = 0; row < table_.rows(); ++row)
      if (table_.integer(name, row) > 1) return true;
    return false;
  }

  // Further axes, and settings in which the rows shown differ.
  [[nodiscard]] std::vector<const ColumnInfo*> others() const {
    std::vector<const ColumnInfo*> out;
    for (const ColumnInfo& column : table_.columns()) {
      const bool has_place = std::ranges::find(places, column.name, &Place::column) != places.end() ||
                             column.name == "microbatches" || column.name == "global_batch_tokens";
      if (column.role != "input" || column.width != 1 || has_place) continue;
      bool differs = is_axis(column.name);
      for (std::int64_t row = 1; row < table_.rows(); ++row)
        differs = differs || value_text(table_, column, row) != value_text(table_, column, 0);
      if (differs) out.push_back(&column);
    }
    return out;
  }

  void add_input(const ColumnInfo& column, std::string heading, Importance importance) {
    const std::string meaning = column.long_name.empty() ? column.name : column.long_name;
    add(std::move(heading), meaning, importance, [&](std::int64_t row) {
      if (column.name == "zero") return std::to_string(table_.integer(column.name, row));
      const std::string value = value_text(table_, column, row);
      return column.name == "recompute" && value == "selective" ? "sel" : value;
    });
    columns_.back().is_input = true;
  }

  void add_metric(const ColumnInfo& column, std::string heading, Importance importance) {
    add(std::move(heading), column.long_name, importance,
        [&](std::int64_t row) { return metric_text(column, table_.number(column.name, row)); });
  }

  [[nodiscard]] Importance importance_of(std::string_view metric, Importance otherwise) const {
    const bool is_asked = std::ranges::find(request_.metrics, metric) != request_.metrics.end();
    return is_asked ? Importance::needed : otherwise;
  }

  void add_metrics() {
    constexpr std::array<std::string_view, 5> with_place{"step_time", "tokens_per_s_per_gpu", "mfu",
                                                         "mem_peak", "gpus"};
    for (const std::string& metric : request_.metrics) {
      const ColumnInfo* column = table_.find(metric);
      if (column != nullptr && std::ranges::find(with_place, metric) == with_place.end())
        add_metric(*column, metric, Importance::needed);
    }
    add("step", "predicted step time", Importance::needed,
        [&](std::int64_t row) { return text::show_time(table_.number("step_time", row)); });
    if (all_.find("rel_error_p90") != nullptr)
      add("+-80%", "half the width of the 80 % band of the step time", Importance::error,
          [&](std::int64_t row) { return text::show_share(table_.number("rel_error_p90", row)); });
    if (!request_.first_is_better.empty())
      add("#1 better", "the chance that #1 is truly better than this row; tie: below 90 %", Importance::error,
          [&](std::int64_t row) { return chance_text(request_.first_is_better[at(row)], row); });
    add("tok/s/GPU", "tokens per second and GPU", importance_of("tokens_per_s_per_gpu", Importance::rate),
        [&](std::int64_t row) {
          const double rate = table_.number("tokens_per_s_per_gpu", row);
          return std::isfinite(rate) ? fmt::format("{:.0f}", rate) : "-";
        });
    add("MFU", "model FLOPs over the dense peak of the GPU", importance_of("mfu", Importance::rate),
        [&](std::int64_t row) { return text::show_share(table_.number("mfu", row)); });
    add("mem/limit",
        "peak memory of the fullest GPU over what it may use, and the chance that it fits if below 99.5 %",
        importance_of("mem_peak", Importance::memory),
        [&](std::int64_t row) { return memory_of(table_, row); });
  }

  void add_shares() {
    constexpr std::array<std::string_view, std::tuple_size_v<Shares>> meanings{
        "computation",
        "exposed tensor-parallel communication",
        "exposed context-parallel communication",
        "exposed expert-parallel communication",
        "exposed pipeline communication",
        "exposed gradient and parameter traffic",
        "pipeline bubble",
        "slowdown of what overlaps",
        "the rest"};
    std::vector<Shares> shares;  // [row]
    for (std::int64_t row = 0; row < table_.rows(); ++row) shares.push_back(shares_of(table_, row));
    for (std::size_t share = 0; share < share_names.size(); ++share) {
      const bool is_rare = share_names[share] == "cp" || share_names[share] == "ep";
      if (is_rare && std::ranges::none_of(shares, [&](const Shares& row) { return row[share] > 0.0; }))
        continue;
      add(std::string(share_names[share]) + "%", "share of the step: " + std::string(meanings[share]),
          Importance::share,
          [&](std::int64_t row) { return fmt::format("{:.1f}", 100.0 * shares[at(row)][share]); });
    }
  }

  void add_notes() {
    if (!request_.note_heading.empty())
      add(request_.note_heading, "robust: no other row beats it with a chance of 1 in 10; tie: some row may",
          Importance::needed, [&](std::int64_t row) { return request_.notes[at(row)]; });
  }

  // A column that the user names.
  void add_named(const std::string& name) {
    std::string wanted = name;
    const auto is_heading = [&](const Place& place) {
      return place.heading == name || (place.heading.starts_with('<') && place.heading.substr(1) == name);
    };
    for (const auto& list : {std::span<const Place>(places), std::span<const Place>(metric_headings)})
      if (const auto found = std::ranges::find_if(list, is_heading); found != list.end())
        wanted = found->column;
    const ColumnInfo* const column = table_.find(wanted);
    if (column == nullptr || column->width != 1) {
      std::vector<std::string> known;
      for (const ColumnInfo& one : table_.columns())
        if (one.width == 1) known.push_back(one.name);
      throw UserError("--columns: the file has no column \"" + name + "\"",
                      config::suggest(name, known, "echo-sweep describe FILE"));
    }
    const bool is_word = !column->meanings.empty();
    if (column->role == "metric")
      add_metric(*column, name, Importance::needed);
    else
      add((is_word ? "<" : "") + name, column->long_name, Importance::needed, [&](std::int64_t row) {
        return wanted == "config_id" ? config_key(table_, row) : value_text(table_, *column, row);
      });
  }

  const results::ResultRows& all_;
  const Table& table_;
  const RankedTable& request_;
  std::vector<ShownColumn> columns_;
};

std::int64_t width_of(const std::vector<ShownColumn>& columns) {
  std::size_t width = 0;
  for (const ShownColumn& column : columns) width += column.width() + 2;
  return std::ssize(columns) == 0 ? 0 : static_cast<std::int64_t>(width) - 2;
}

// Words on lines of at most `width` characters, those after the first indented.
std::string wrapped(const std::string& text, std::int64_t width) {
  std::string out, line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool is_full = !line.empty() && std::ssize(line) + 1 + std::ssize(word) > width;
    if (is_full) out += std::exchange(line, " ") + "\n";
    line += (line.empty() ? "" : " ") + word;
  }
  return out + line + "\n";
}

// What is written above a table that is too wide, and what is left out of it.
std::string narrow(std::vector<ShownColumn>& columns, std::int64_t width) {
  if (width <= 0 || width_of(columns) <= width) return "";
  std::string above, left_out;
  if (columns.front().cells.size() > 1) {
    for (const ShownColumn& column : columns)
      if (column.is_input && column.is_constant())
        above += fmt::format("{}{} {}", above.empty() ? "" : ", ", column.title(), column.cells.front());
    std::erase_if(columns, [](const ShownColumn& column) { return column.is_input && column.is_constant(); });
  }
  for (int step = 0; step < static_cast<int>(Importance::needed); ++step) {
    const auto is_next = [&](const ShownColumn& column) {
      return static_cast<int>(column.importance) == step;
    };
    while (width_of(columns) > width) {
      const auto last = std::find_if(columns.rbegin(), columns.rend(), is_next);
      if (last == columns.rend()) break;
      left_out = last->title() + (left_out.empty() ? "" : " ") + left_out;
      columns.erase(std::next(last).base());
    }
  }
  std::string text = above.empty() ? "" : wrapped("all rows: " + above, width);
  if (!left_out.empty())
    text += wrapped(fmt::format("left out of lines of {} characters: {} (top --columns NAME,... chooses)",
                                width, left_out),
                    width);
  return text;
}

}  // namespace

std::vector<std::string> asked_metrics(const results::ResultRows& rows, const std::string& by) {
  std::vector<std::string> metrics{by};
  for (const sweep::Objective& objective : rows.state().objectives)
    if (objective.metric != by) metrics.push_back(objective.metric);
  return metrics;
}

std::string ranked_text(const results::ResultRows& all, const Table& table, const RankedTable& request) {
  std::vector<ShownColumn> columns = Columns(all, table, request).choose();
  const std::string above = narrow(columns, request.width);
  std::vector<std::string> headings;
  for (const ShownColumn& column : columns) headings.push_back(column.heading);
  text::TextTable text(headings);
  for (std::size_t row = 0; row < static_cast<std::size_t>(table.rows()); ++row) {
    std::vector<std::string> cells;
    for (const ShownColumn& column : columns) cells.push_back(column.cells[row]);
    text.add(cells);
  }
  return above + text.text() + beyond_text(table);
}

std::string legend_text(const results::ResultRows& all, const Table& table, const RankedTable& request) {
  text::TextTable text({"<  column", "<meaning"});
  for (const ShownColumn& column : Columns(all, table, request).choose())
    text.add({"  " + column.title(), column.meaning});
  return text.text();
}

}  // namespace echo::query
