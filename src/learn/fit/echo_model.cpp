#include "learn/fit/echo_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/problems.hpp"
#include "learn/fit/forest_of_json.hpp"
#include "slowdown/features.hpp"

namespace echo::learn {

namespace {

using slowdown::HeldOutError;
using slowdown::LearnedModel;
using slowdown::OverlapRow;

enum class Unit : std::int8_t { nanoseconds, percent };
struct Feature {
  std::string_view echo;  // its column
  std::string_view ours;  // of slowdown::feature_names(metrics)
  Unit unit;
};
constexpr std::array<Feature, 8> features{{{"ground_truth", "log2_kernel_time", Unit::nanoseconds},
                                           {"Compute throughput", "compute_throughput", Unit::percent},
                                           {"Memory throughput", "memory_throughput", Unit::percent},
                                           {"DRAM throughput", "dram_throughput", Unit::percent},
                                           {"Achieved occupancy", "achieved_occupancy", Unit::percent},
                                           {"Maximum occupancy", "maximum_occupancy", Unit::percent},
                                           {"L1 hit rate", "l1_hit_rate", Unit::percent},
                                           {"L2 hit rate", "l2_hit_rate", Unit::percent}}};

std::size_t place_of(std::string_view ours) {
  const auto names = slowdown::feature_names(slowdown::FeatureSet::metrics);
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), ours) - names.begin());
}

// The same value as our feature has it; the order of values is kept.
double ours_of(const Feature& feature, double value) {
  constexpr double microsecond = 1e3, percent = 100.0;
  if (feature.unit == Unit::percent) return value / percent;
  return value > 0.0 ? std::log2(value / microsecond) : -slowdown::max_weight;
}

struct Scale {
  double mean = 0.0, deviation = 1.0, low = 0.0, high = 0.0;
};

class Reader {
 public:
  explicit Reader(const EchoModel& source) : source_(source), held_out_(source.held_out) {}

  LearnedModel read() {
    if (held_out_.size() != source_.table.rows()) refuse("its table has other rows");
    ReadForest read = forest_of_json(source_.json);
    const std::vector<Feature> columns = columns_of();
    if (read.gain.size() != columns.size())
      refuse(fmt::format("it has {} features, {} are named", read.gain.size(), columns.size()));
    check_rows(read.forest.base);
    LearnedModel model;
    model.name = "echo_slowdown";
    model.features = slowdown::FeatureSet::metrics;
    model.base = slowdown::Base::direct;
    model.ranges.resize(slowdown::metric_feature_count);
    std::vector<Scale> scales;
    for (const Feature& feature : columns) {
      scales.push_back(scale_of(feature));
      model.ranges[place_of(feature.ours)] = {ours_of(feature, scales.back().low),
                                              ours_of(feature, scales.back().high)};
    }
    for (slowdown::ForestNode& node : read.forest.nodes) {
      if (node.feature < 0) continue;
      const Feature& feature = columns[at(node.feature)];
      const Scale& scale = scales[at(node.feature)];
      node.threshold = static_cast<float>(
          ours_of(feature, static_cast<double>(node.threshold) * scale.deviation + scale.mean));
      node.feature = static_cast<std::int32_t>(place_of(feature.ours));
    }
    model.kernel.residual = std::move(read.forest);
    model.kernel.seen = {slowdown::least_rate, 1.0};
    model.evidence.rows = std::count(held_out_.begin(), held_out_.end(), false);
    model.evidence.dataset = "of Echo-slowdown";
    model.evidence.seed = 42;
    model.evidence.gpus = source_.gpus;
    if (!slowdown::is_sound(model)) refuse("a number in it is out of range");
    if (!source_.rows.empty()) add_errors(model);
    return model;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw UserError({Problem{{source_.name},
                             source_.name + ": cannot use this model: " + why,
                             "give xgb_model.json and the table it was trained on, train_dataset.csv or "
                             "merged_features.csv, as Echo-slowdown wrote them"}});
  }

  std::vector<Feature> columns_of() const {
    std::vector<std::string> names;
    try {
      names = nlohmann::json::parse(source_.json).at("learner").at("feature_names");
    } catch (const nlohmann::json::exception&) {
      refuse("it does not name its features");
    }
    std::vector<Feature> out;
    for (const std::string& name : names) {
      const auto found = std::find_if(features.begin(), features.end(),
                                      [&](const Feature& feature) { return feature.echo == name; });
      if (found == features.end()) refuse("it has a feature \"" + name + "\" that is not known");
      if (!source_.table.has(name)) refuse("the table has no column \"" + name + "\"");
      out.push_back(*found);
    }
    return out;
  }

  std::vector<double> trained_on(std::string_view column) const {
    std::vector<double> out;
    for (std::size_t row = 0; row < source_.table.rows(); ++row) {
      const auto value = source_.table.number(row, column);
      if (!value)
        throw UserError({Problem{source_.table.place(row, column), std::string(column) + " is missing",
                                 "give the table as Echo-slowdown wrote it"}});
      if (!held_out_[row]) out.push_back(*value);
    }
    return out;
  }

  static double mean_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }

  void check_rows(float base) const {
    const std::vector<double> slowdowns = trained_on("slowdown");
    if (slowdowns.empty()) refuse("the table is empty");
    constexpr double tolerance = 1e-5;  // seven digits in the file
    const double mean = mean_of(slowdowns);
    if (std::abs(mean - static_cast<double>(base)) > tolerance * std::max(1.0, std::abs(mean)))
      refuse(fmt::format("the mean slowdown of its training rows is {:.6g}, that of the table's is {:.6g}",
                         base, mean));
  }

  Scale scale_of(const Feature& feature) const {
    const std::vector<double> values = trained_on(feature.echo);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double mean = mean_of(values);
    double squares = 0.0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(values.size()));
    return {mean, deviation > 0.0 ? deviation : 1.0, *low, *high};
  }

  // The errors of overlapped durations on the rows held out.
  void add_errors(LearnedModel& model) const {
    std::vector<double> own, none;
    double predicted = 0.0, alone = 0.0, measured = 0.0;
    for (std::size_t i = 0; i < source_.rows.size(); ++i) {
      if (!held_out_[i]) continue;
      const OverlapRow& row = source_.rows[i];
      const double slowdown = 1.0 / slowdown::kept_rate(model, row) - 1.0;
      const double time = slowdown::overlapped_time(row.alone, row.overlap_ratio, slowdown);
      own.push_back(std::abs(time / row.overlapped - 1.0));
      none.push_back(std::abs(row.alone / row.overlapped - 1.0));
      predicted += time, alone += row.alone, measured += row.overlapped;
    }
    if (own.size() < 2) return;
    double squares = 0.0;
    const double own_mean = mean_of(own), none_mean = mean_of(none), difference = none_mean - own_mean;
    for (std::size_t i = 0; i < own.size(); ++i)
      squares += (none[i] - own[i] - difference) * (none[i] - own[i] - difference);
    const double count = static_cast<double>(own.size());
    const double doubt = std::sqrt(squares / (count - 1.0) / count);
    model.evidence.errors = {
        {"this model", "the rows that Echo holds out", own_mean, predicted / measured - 1.0, 0.0},
        {"no slowdown", "the rows that Echo holds out", none_mean, alone / measured - 1.0, doubt}};
  }

  const EchoModel& source_;
  const std::vector<bool>& held_out_;
};

}  // namespace

bool is_echo_model(std::string_view text) {
  constexpr std::size_t head = 256;
  const std::string_view first = text.substr(0, head);
  return first.starts_with("{") && first.find("\"learner\"") != first.npos;
}

slowdown::LearnedModel read_echo_model(const EchoModel& source) { return Reader(source).read(); }

}  // namespace echo::learn
