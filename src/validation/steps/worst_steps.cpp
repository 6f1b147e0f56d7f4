// A guess compares a row with the other rows of its source: they share its framework, its machines and the
// method of timing, so that an error of all of them shows in their mean, and an error of a mechanism shows
// where they differ. Quantities that may correlate with residuals are the choices of the run (features,
// degrees, sizes) and the parts of its predicted step (exposed parts, drivers).
#include "validation/steps/worst_steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "accuracy/residual_pattern.hpp"
#include "base/bottleneck.hpp"
#include "base/contract.hpp"
#include "base/lane.hpp"
#include "text/show_quantity.hpp"
#include "validation/steps/step_strata.hpp"

namespace echo::validation {

namespace {

constexpr double worth_a_word = 0.02;  // of the step

struct Quantity {
  std::string name;
  enum class Kind : std::int8_t { feature, size, share } kind;
};

struct Table {
  std::vector<Quantity> quantities;
  std::vector<accuracy::ResidualRow> rows;  // of the scored rows
};

// The names are of the first call, the values of every one.
class RowValues {
 public:
  RowValues(std::vector<Quantity>& quantities, bool names) : quantities_(quantities), names_(names) {}
  void add(std::string name, Quantity::Kind kind, double value) {
    if (names_) quantities_.push_back({std::move(name), kind});
    values.push_back(value);
  }
  std::vector<double> values;

 private:
  std::vector<Quantity>& quantities_;
  bool names_;
};

double share_of_part(const PredictedStep& row, std::size_t part) {
  return to_seconds(row.prediction.report.exposed[part]) / row.seconds();
}

std::vector<std::string> all_features(const std::vector<const PredictedStep*>& rows) {
  std::vector<std::string> out;
  for (const PredictedStep* row : rows)
    for (const std::string& feature : features_of(*row))
      if (std::find(out.begin(), out.end(), feature) == out.end()) out.push_back(feature);
  std::sort(out.begin(), out.end());
  return out;
}

void add_sizes(const training::TrainingConfig& c, const PredictedStep& row, RowValues& out) {
  const training::Degrees& d = c.degrees;
  const auto add = [&out](const char* name, std::int32_t size) {
    out.add(name, Quantity::Kind::size, std::log2(static_cast<double>(std::max(1, size))));
  };
  add("tensor degree", d.tensor), add("pipeline degree", d.pipeline), add("data degree", d.data);
  add("context degree", d.context), add("expert degree", d.expert);
  add("chunks per stage", d.virtual_stages), add("micro batch", c.batch.micro_samples);
  add("number of microbatches", training::microbatches_of(c)), add("sequence", c.batch.sequence_tokens);
  const training::ModelSpec& model = row.catalog.model(c.model);
  add("GPU count", training::gpus_of(d)), add("layers", model.layers);
  add("hidden size", model.hidden), add("head size", model.head_dim);
}

Table table_of(const std::vector<const PredictedStep*>& rows) {
  Table out;
  const std::vector<std::string> features = all_features(rows);
  for (const PredictedStep* row : rows) {
    RowValues values(out.quantities, out.rows.empty());
    const std::vector<std::string> own = features_of(*row);
    for (const std::string& feature : features)
      values.add(feature, Quantity::Kind::feature,
                 std::find(own.begin(), own.end(), feature) != own.end() ? 1.0 : 0.0);
    add_sizes(row->config(), *row, values);
    for (std::size_t i = 0; i < time_category_names.size(); ++i)
      values.add(std::string(time_category_names[i]) + " in the step", Quantity::Kind::share,
                 share_of_part(*row, i));
    for (std::size_t i = 0; i < bottleneck_names.size(); ++i)
      values.add("time by " + std::string(bottleneck_names[i]), Quantity::Kind::share,
                 row->prediction.report.bottleneck[i]);
    out.rows.push_back({row->step.source, std::log(row->ratio()), std::move(values.values)});
  }
  return out;
}

// A residual as people read it: "12 % too fast".
std::string too(double residual) {
  const double off = std::expm1(residual);
  return fmt::format("{:.0f} % too {}", 100.0 * std::abs(off), off < 0.0 ? "fast" : "slow");
}

std::string value_in_words(const Quantity& quantity, double value) {
  switch (quantity.kind) {
    case Quantity::Kind::feature:
      return value > 0.5 ? "with it" : "without it";
    case Quantity::Kind::size:
      return fmt::format("{:.0f}", std::exp2(value));
    case Quantity::Kind::share:
      return text::show_share(value);
  }
  return "";
}

std::string guess_of(const Table& table, std::size_t row) {
  const accuracy::ResidualRow& own = table.rows[row];
  const accuracy::ResidualPattern found = accuracy::pattern_of(table.rows, row);
  if (found.like_rows < accuracy::fewest_like_rows) return "too few rows of its source to compare it with";
  const auto at = [&](int quantity, const std::vector<double>& values) {
    const auto i = static_cast<std::size_t>(quantity);
    return value_in_words(table.quantities[i], values[i]);
  };
  const auto name_of = [&](int i) { return table.quantities[static_cast<std::size_t>(i)].name; };
  const std::string mean = fmt::format("the other {} rows of {} are {} in the mean", found.like_rows,
                                       own.group.empty() ? "no source" : own.group, too(found.mean));
  if (found.quantity >= 0)
    return fmt::format("{}; errors go with {} (correlation {:+.2f}; {}), which would make this one {}", mean,
                       name_of(found.quantity), found.correlation, at(found.quantity, own.value),
                       too(found.mean + found.explained));
  if (found.mean * own.residual > 0.0 && std::abs(found.mean) >= 0.5 * std::abs(own.residual))
    return mean + ": something that all of them share";
  if (found.unusual >= 0) {
    std::vector<double> usual = own.value;
    usual[static_cast<std::size_t>(found.unusual)] = found.unusual_mean;
    return fmt::format("{}; unlike them in {}: {}, {} in their mean", mean, name_of(found.unusual),
                       at(found.unusual, own.value), at(found.unusual, usual));
  }
  return mean + ", and nothing that the table says tells it from them: the run itself, or what is not said";
}

std::vector<std::pair<std::string, double>> largest_first(
    std::vector<std::pair<std::string, double>> shares) {
  std::erase_if(shares, [](const auto& share) { return share.second < worth_a_word; });
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return shares;
}

std::string listed(const std::vector<std::pair<std::string, double>>& shares) {
  std::vector<std::string> words;
  words.reserve(shares.size());
  for (const auto& [name, share] : shares) words.push_back(fmt::format("{} {:.0f} %", name, 100.0 * share));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::vector<WorstStep> worst_steps(const std::vector<PredictedStep>& rows, std::size_t count) {
  std::vector<const PredictedStep*> scored;
  for (const PredictedStep& row : rows)
    if (row.is_scored()) scored.push_back(&row);
  if (count == 0 || scored.empty()) return {};
  const Table table = table_of(scored);
  std::vector<std::size_t> order(scored.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(table.rows[a].residual) > std::abs(table.rows[b].residual);
  });
  order.resize(std::min(count, order.size()));
  std::vector<WorstStep> out;
  for (const std::size_t i : order) {
    WorstStep one{scored[i], {}, {}, guess_of(table, i)};
    for (std::size_t k = 0; k < time_category_names.size(); ++k)
      one.parts.emplace_back(time_category_names[k], share_of_part(*scored[i], k));
    for (std::size_t k = 0; k < bottleneck_names.size(); ++k)
      one.bottlenecks.emplace_back(bottleneck_names[k], scored[i]->prediction.report.bottleneck[k]);
    one.parts = largest_first(std::move(one.parts)),
    one.bottlenecks = largest_first(std::move(one.bottlenecks));
    out.push_back(std::move(one));
  }
  return out;
}

std::string worst_text(const std::vector<WorstStep>& worst) {
  std::string out;
  for (const WorstStep& one : worst) {
    const PredictedStep& row = *one.row;
    out += fmt::format("{} ({}, {}): {} measured, {} predicted, {:.2f} times\n", row.step.row,
                       row.step.source, row.step.stratum, text::show_time(*row.step.step_seconds),
                       text::show_time(row.seconds()), row.ratio());
    out += fmt::format("  predicted: {}; by {}\n  a guess: {}\n", listed(one.parts), listed(one.bottlenecks),
                       one.guess);
  }
  return out;
}

void add_worst(text::Json& json, const std::vector<WorstStep>& worst) {
  json.key("worst").open_array();
  for (const WorstStep& one : worst) {
    const PredictedStep& row = *one.row;
    json.open_object().member("row", row.step.row).member("source", row.step.source);
    json.member("stratum", row.step.stratum).member("measured", *row.step.step_seconds);
    json.member("predicted", row.seconds()).member("ratio", row.ratio());
    for (const auto& [name, shares] : {std::pair{"parts", &one.parts}, {"drivers", &one.bottlenecks}}) {
      json.key(name).open_object();
      for (const auto& [share, value] : *shares) json.member(share, value);
      json.close();
    }
    json.member("guess", one.guess).close();
  }
  json.close();
}

}  // namespace echo::validation
