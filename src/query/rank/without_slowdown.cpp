// Compares the choice of a layout with and without the slowdown of overlapped work.
//
// Problem. "The slowdown costs 3 %" does not say whether a simulator may omit it: it matters whether the
// simulator would still choose the same layout, and the cost of a wrong choice.
//
// Idea. One pass over the rows; each slice keeps its best step, its best step without slowdown, and the best
// and worst steps among the rows that tie for the latter. Equal means equal picoseconds, as stored in
// the file: layouts that differ only in idle parts tie, and a tie may be broken either way, so a slice counts
// as changed only if no layout that wins without slowdown wins with it.
#include "query/rank/without_slowdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/quantile.hpp"
#include "query/rank/where.hpp"
#include "query/text/breakdown.hpp"
#include "query/text/result_text.hpp"
#include "text/show_quantity.hpp"
#include "training/axis.hpp"
#include "training/feasibility.hpp"

namespace echo::query {

using results::ResultRows;
using results::Scan;
using results::Table;

namespace {

constexpr double near_tie = 1e-3;

struct Tally {
  std::int64_t rows = 0, with = -1, without = -1;
  double best = 0.0, unslowed = 0.0;        // s
  double luckiest = 0.0, unluckiest = 0.0;  // steps of the rows that tie for unslowed

  void see(std::int64_t row, double step, double no_slowdown) {
    if (rows++ == 0 || step < best) best = step, with = row;
    if (rows == 1 || no_slowdown < unslowed) {
      unslowed = no_slowdown, luckiest = unluckiest = step, without = row;
    } else if (no_slowdown == unslowed) {
      if (step < luckiest) luckiest = step, without = row;
      unluckiest = std::max(unluckiest, step);
    }
  }
  [[nodiscard]] Slice slice() const {
    return {.rows = rows,
            .with = with,
            .without = without,
            .loss = luckiest / best - 1.0,
            .is_told_apart = luckiest == best && unluckiest > best};
  }
};

std::vector<std::string> asked_inputs(const ResultRows& rows) {
  std::vector<std::string> names;
  for (const results::ColumnInfo& column : rows.columns())
    if (column.role == "input" && column.width == 1 && !is_of_layout(column.name) &&
        column.name != "global_batch_tokens")  // derived from global_batch and seq_len
      names.push_back(column.name);
  return names;
}

using Slices = std::map<std::vector<double>, Tally>;

// Finds the slice of a row of a batch, in which few inputs change.
class SliceOfRow {
 public:
  SliceOfRow(Slices& slices, const Scan& scan, std::size_t first_input, std::size_t inputs)
      : slices_(slices), scan_(scan), key_(inputs) {
    for (std::size_t input = 0; input < inputs; ++input) {
      const std::size_t column = first_input + input;
      const auto repeated = scan.repeated(column);
      key_[input] = repeated ? *repeated : scan.values(column).front();
      if (!repeated) changing_.push_back({input, column});
    }
    changed_.resize(changing_.size());
  }
  Tally& operator()(std::size_t row) {
    for (std::size_t i = 0; i < changing_.size(); ++i) changed_[i] = scan_.values(changing_[i].column)[row];
    Tally*& slice = known_[changed_];
    if (slice == nullptr) {
      for (std::size_t i = 0; i < changing_.size(); ++i) key_[changing_[i].input] = changed_[i];
      slice = &slices_[key_];
    }
    return *slice;
  }

 private:
  struct Changing {
    std::size_t input, column;
  };
  Slices& slices_;
  const Scan& scan_;
  std::vector<double> key_, changed_;
  std::vector<Changing> changing_;
  std::map<std::vector<double>, Tally*> known_;  // by the values of inputs that change
};

WithoutSlowdown summed(const Slices& slices, const std::vector<std::string>& inputs) {
  WithoutSlowdown found;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool varies = std::ranges::any_of(
        slices, [&](const auto& slice) { return slice.first[i] != slices.begin()->first[i]; });
    if (varies) found.same.push_back(inputs[i]);
  }
  std::vector<double> losses;
  for (const auto& [key, tally] : slices) {
    const Slice slice = tally.slice();
    slice.rows > 1 ? ++found.slices : ++found.single;
    if (slice.is_told_apart) ++found.told_apart;
    if (!(slice.loss > 0.0)) continue;
    losses.push_back(slice.loss);
    if (slice.loss <= near_tie) ++found.near_ties;
    const bool is_worse =
        slice.loss > found.worst.loss || (slice.loss == found.worst.loss && slice.with < found.worst.with);
    if (found.worst.rows == 0 || is_worse) found.worst = slice;
  }
  found.changed = std::ssize(losses);
  found.median_loss = losses.empty() ? 0.0 : median_of(std::move(losses));
  return found;
}

double share_changed(const WithoutSlowdown& found) {
  return found.slices > 0 ? static_cast<double>(found.changed) / static_cast<double>(found.slices) : 0.0;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

bool is_of_layout(std::string_view input) {
  const auto axis = training::find_axis(input);
  return axis ? training::info_of(*axis).of_layout : input == "microbatches";
}

WithoutSlowdown without_slowdown(const ResultRows& rows, const std::string& where) {
  if (rows.find("step_time_no_slowdown") == nullptr) return {};
  RowFilter filter(rows, where);
  const std::vector<std::string> inputs = asked_inputs(rows);
  const bool shares = rows.find("step_time_no_contention") != nullptr;
  std::vector<std::string> columns{"status", "step_time", "step_time_no_slowdown",
                                   shares ? "step_time_no_contention" : "step_time"};
  columns.insert(columns.end(), inputs.begin(), inputs.end());
  columns.insert(columns.end(), filter.columns().begin(), filter.columns().end());
  constexpr std::size_t first_input = 4;
  const std::size_t first_filtered = first_input + inputs.size();
  Slices slices;
  bool is_taxed = false, has_contention = false;
  for (Scan scan(rows, columns); scan.next();) {
    SliceOfRow slice_of(slices, scan, first_input, inputs.size());
    for (std::int64_t i = 0; i < scan.count(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (static_cast<training::Status>(scan.values(0)[at]) != training::Status::ok) continue;
      const double step = scan.values(1)[at], no_slowdown = scan.values(2)[at];
      const bool is_timed = step > 0.0 && no_slowdown > 0.0;
      if (!is_timed || !filter.keeps(scan, first_filtered, i)) continue;
      const double apart = scan.values(3)[at];  // step time if collectives did not slow each other
      is_taxed = is_taxed || apart != no_slowdown;
      has_contention = has_contention || apart != step;
      slice_of(at).see(scan.first() + i, step, no_slowdown);
    }
  }
  WithoutSlowdown found = summed(slices, inputs);
  found.is_taxed = is_taxed, found.has_contention = has_contention;
  return found;
}

static std::string losses_of(const WithoutSlowdown& found) {
  std::string text = fmt::format("; choosing it costs {} of the step in the median, {} at most",
                                 text::show_share(found.median_loss), text::show_share(found.worst.loss));
  if (found.near_ties > 0) text += fmt::format("; near ties (0.1 % or less): {}", found.near_ties);
  return text;
}

std::string text_of(const WithoutSlowdown& found, const ResultRows& rows) {
  if (!found.is_taxed || found.slices == 0) return "";
  std::string text = fmt::format("slowdown: without it{}, another layout wins in {} of {} slice{} ({})",
                                 found.has_contention ? " and contention" : "",
                                 text::show_count(found.changed), text::show_count(found.slices),
                                 found.slices == 1 ? "" : "s", text::show_share(share_changed(found)));
  if (found.changed > 0) text += losses_of(found);
  if (found.told_apart > 0)
    text += fmt::format("; it decides between layouts that tie without it in {}",
                        text::show_count(found.told_apart));
  text += "\n  a slice: feasible rows that differ only in the layout";
  if (!found.same.empty()) text += fmt::format(" (here: {})", joined(found.same));
  if (found.single > 0)
    text += fmt::format("; {} with a single row left out", text::show_count(found.single));
  if (found.changed == 0) return text + "\n";
  const Table two = rows.pick(std::array{found.worst.without, found.worst.with});
  return text + fmt::format("\n  largest loss: {} chosen instead of {}: {}\n",
                            config_key(two, 0).substr(0, 8), config_key(two, 1).substr(0, 8),
                            what_differs(two, 1, 0));
}

void add_without_slowdown(text::Json& json, const WithoutSlowdown& found, const ResultRows& rows) {
  json.key("without_slowdown").open_object().member("taxed", found.is_taxed);
  json.member("includes_contention", found.has_contention);
  json.member("slices", found.slices).member("slices_of_one_row", found.single);
  json.member("another_wins", found.changed).member("share", share_changed(found));
  json.member("near_ties", found.near_ties).member("ties_decided", found.told_apart);
  json.member("median_loss", found.median_loss).member("largest_loss", found.worst.loss);
  json.key("alike_in").open_array();
  for (const std::string& name : found.same) json.value(name);
  json.close();
  if (found.worst.rows > 0) {
    const Table two = rows.pick(std::array{found.worst.without, found.worst.with});
    json.key("largest").open_object().member("wins_without", config_key(two, 0));
    json.member("wins_with", config_key(two, 1)).close();
  }
  json.close();
}

}  // namespace echo::query
