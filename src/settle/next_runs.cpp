// Problem: measuring a layout costs GPU-hours; which few runs make the choice among many layouts a good one?
// Idea: the value of information. After runs S are measured, the expected costs of all rows move by a normal
// vector whose covariance is what S tells, T T' (T of conditioning.cpp), and the row of the least expected
// cost is chosen. Its true cost is then expected to be
//   V(S) = E[ min over rows i of (cost_i + T_i . z) ],   z standard normal,
// so that V(nothing) - V(S) is what S takes off the expected regret: the knowledge gradient for correlated
// beliefs (Frazier, Powell, Dayanik, INFORMS Journal on Computing 2009), of several runs at once. Runs are
// chosen one by one; V is a mean over fixed draws z, which all candidates share, each with its mirror image
// -z. A run on few GPUs tells of a large layout what sources of error both share (clock, links, host), and
// costs little; a run of the layout itself tells of its own term, too.
//
// Outlooks are counted in worlds that are drawn whole: true costs of all rows, measurements with their noise,
// the choice that the conditioned ranking would make, and the best row. Their law is the multivariate t by
// which the error model was fitted, scaled to the same 90th percentile as the normal law above. The mean is
// of logarithms: that of a ratio does not exist under a t. Neglected: in choosing the runs, heavy tails; that
// what is measured first may change what to measure next (measure, update and ask again).
#include "settle/next_runs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/contract.hpp"
#include "base/counter_rng.hpp"
#include "base/student_t.hpp"
#include "settle/cholesky.hpp"
#include "settle/conditioning.hpp"

namespace echo::settle {

namespace {

constexpr std::uint64_t seed = 20261124, world_seed = 20261125, noise_seed = 20261126, scale_seed = 20261127;
constexpr std::size_t draw_count = 512;  // and as many mirror images
constexpr double least_gain = 1e-6;      // of a logarithm: below it, a run changes nothing

Rows rows_of(std::size_t i, std::size_t j) { return i == j ? Rows::same : Rows::different; }

// Beliefs about the costs while runs are added one by one.
class Beliefs {
 public:
  explicit Beliefs(std::span<const Choice> choices) : choices_(choices) {
    std::vector<double> means;
    for (std::size_t i = 0; i < choices.size(); ++i)
      if (choices[i].competes) competitors_.push_back(i), means.push_back(choices[i].cost);
    ECHO_EXPECT(!competitors_.empty());
    means_.assign(2 * draw_count, means);
    value_ = value_of(means_);
  }
  [[nodiscard]] double value() const { return value_; }

  // V(S) less V(S and this run).
  [[nodiscard]] double gain_of(std::size_t run) const {
    const std::vector<double> moves = moves_by(run);
    double sum = 0.0;
    for (std::size_t draw = 0; draw < draw_count; ++draw) {
      const double z = normal(draw);
      sum += least(means_[2 * draw], moves, z) + least(means_[2 * draw + 1], moves, -z);
    }
    return value_ - sum / static_cast<double>(2 * draw_count);
  }
  void add(std::size_t run) {
    const std::vector<double> moves = moves_by(run);
    for (std::size_t draw = 0; draw < 2 * draw_count; ++draw) {
      const double z = draw % 2 == 0 ? normal(draw / 2) : -normal(draw / 2);
      for (std::size_t i = 0; i < moves.size(); ++i) means_[draw][i] += z * moves[i];
    }
    value_ = value_of(means_);
    factor_.add(covariances_with(run, Measured::yes));
    runs_.push_back(run);
  }
  [[nodiscard]] bool has(std::size_t run) const { return std::ranges::find(runs_, run) != runs_.end(); }

 private:
  enum class Measured : std::int8_t { no, yes };
  [[nodiscard]] double normal(std::size_t draw) const { return draw_normal(seed, runs_.size(), draw); }
  // The covariances of a row with the runs so far, and its own variance.
  [[nodiscard]] std::vector<double> covariances_with(std::size_t row, Measured measured) const {
    std::vector<double> out;
    for (const std::size_t run : runs_)
      out.push_back(step_covariance(choices_[row].error, choices_[run].error, rows_of(row, run)));
    out.push_back(step_variance(choices_[row].error) +
                  (measured == Measured::yes ? choices_[row].noise : 0.0));
    return out;
  }
  // By how much the expected cost of each competitor moves with one standard deviation of what a run shows.
  [[nodiscard]] std::vector<double> moves_by(std::size_t run) const {
    const std::vector<double> of_run = covariances_with(run, Measured::yes);
    const std::vector<double> known = factor_.solve(of_run);
    double variance = of_run.back();
    for (const double one : known) variance -= one * one;
    std::vector<double> moves;
    for (const std::size_t i : competitors_) {
      double covariance = step_covariance(choices_[i].error, choices_[run].error, rows_of(i, run));
      const std::vector<double> of_row = factor_.solve(covariances_with(i, Measured::no));
      for (std::size_t k = 0; k < known.size(); ++k) covariance -= known[k] * of_row[k];
      moves.push_back(variance > 0.0 ? covariance / std::sqrt(variance) : 0.0);
    }
    return moves;
  }
  static double least(const std::vector<double>& means, const std::vector<double>& moves, double z) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < means.size(); ++i) least = std::min(least, means[i] + z * moves[i]);
    return least;
  }
  static double value_of(const std::vector<std::vector<double>>& means) {
    double sum = 0.0;
    for (const std::vector<double>& of_draw : means) sum += *std::ranges::min_element(of_draw);
    return sum / static_cast<double>(means.size());
  }

  std::span<const Choice> choices_;
  std::vector<std::size_t> competitors_, runs_;
  Cholesky factor_;                         // of what the runs measure
  std::vector<std::vector<double>> means_;  // [draw, then its mirror image][competitor]
  double value_ = 0.0;
};

// Student's t over the normal law, one factor a world, both with the same 90th percentile.
double scale_of_world(std::uint64_t world, int freedom) {
  double squares = 0.0;
  for (int i = 0; i < freedom; ++i) {
    const double z = draw_normal(scale_seed, world, static_cast<std::uint64_t>(i));
    squares += z * z;
  }
  return std::sqrt(freedom / squares) * z90 / student_t_quantile(0.9, freedom);
}

// The rows that matter to outlooks: those that compete, and the runs.
std::vector<std::size_t> rows_that_matter(std::span<const Choice> choices,
                                          std::span<const std::size_t> runs) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (choices[i].competes || std::ranges::find(runs, i) != runs.end()) rows.push_back(i);
  return rows;
}

Cholesky factor_of(std::span<const Choice> choices, const std::vector<std::size_t>& rows) {
  Cholesky factor;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<double> covariances;
    for (std::size_t j = 0; j <= i; ++j)
      covariances.push_back(
          step_covariance(choices[rows[i]].error, choices[rows[j]].error, rows_of(rows[i], rows[j])));
    factor.add(covariances);
  }
  return factor;
}

struct World {
  std::vector<double> error;  // [rows that matter] true costs less predicted ones
  std::vector<double> shown;  // [runs] measured, less predicted
};

// Adds up what happens in drawn worlds after n runs.
class Counted {
 public:
  Counted(std::span<const Choice> choices, std::vector<std::size_t> rows, std::span<const std::size_t> runs)
      : choices_(choices), rows_(std::move(rows)) {
    std::vector<MeasuredRun> measured;
    for (const std::size_t run : runs)
      measured.push_back({static_cast<std::int64_t>(run), choices[run].error, 0.0, choices[run].noise});
    factor_ = Conditioning(measured).factor();
    const Conditioning known(measured);
    for (const std::size_t row : rows_)
      explained_.push_back(known.about(static_cast<std::int64_t>(row), choices[row].error).explained);
  }
  void see(const World& world) {
    const std::vector<double> shown = factor_.solve(std::span(world.shown).first(factor_.size()));
    double least_expected = infinite, chosen = 0.0, best = infinite;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!choices_[rows_[i]].competes) continue;
      double expected = choices_[rows_[i]].cost;
      const double truth = expected + world.error[i];
      for (std::size_t run = 0; run < shown.size(); ++run) expected += explained_[i][run] * shown[run];
      if (expected < least_expected) least_expected = expected, chosen = truth;
      best = std::min(best, truth);
    }
    const double regret = chosen - best;
    sum_ += regret, squares_ += regret * regret, best_ += chosen == best ? 1.0 : 0.0, worlds_ += 1.0;
  }
  [[nodiscard]] Outlook outlook() const {
    const double mean = sum_ / worlds_;
    return {mean, std::sqrt(std::max(0.0, squares_ / worlds_ - mean * mean) / worlds_), best_ / worlds_};
  }

 private:
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  std::span<const Choice> choices_;
  std::vector<std::size_t> rows_;
  Cholesky factor_;
  std::vector<std::vector<double>> explained_;  // [rows that matter][runs]
  double sum_ = 0.0, squares_ = 0.0, best_ = 0.0, worlds_ = 0.0;
};

World drawn(std::uint64_t number, std::span<const Choice> choices, const std::vector<std::size_t>& rows,
            const Cholesky& factor, std::span<const std::size_t> runs) {
  std::vector<double> z;
  for (std::size_t i = 0; i < rows.size(); ++i) z.push_back(draw_normal(world_seed, number, i));
  const int explained = static_cast<int>(choices[rows.front()].error.explained.size());
  World world{factor.times(z), {}};
  const double scale = scale_of_world(number, error_tails + explained);
  for (double& error : world.error) error *= scale;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto place = std::ranges::lower_bound(rows, runs[i]) - rows.begin();
    world.shown.push_back(world.error[static_cast<std::size_t>(place)] +
                          std::sqrt(choices[runs[i]].noise) * draw_normal(noise_seed, number, i));
  }
  return world;
}

}  // namespace

std::vector<Outlook> outlooks(std::span<const Choice> choices, std::span<const std::size_t> runs) {
  const std::vector<std::size_t> rows = rows_that_matter(choices, runs);
  ECHO_EXPECT(!rows.empty());
  const Cholesky factor = factor_of(choices, rows);
  std::vector<Counted> counted;
  for (std::size_t n = 0; n <= runs.size(); ++n) counted.emplace_back(choices, rows, runs.first(n));
  for (std::uint64_t number = 0; number < world_count; ++number) {
    const World world = drawn(number, choices, rows, factor, runs);
    for (Counted& one : counted) one.see(world);
  }
  std::vector<Outlook> out;
  for (const Counted& one : counted) out.push_back(one.outlook());
  return out;
}

std::vector<std::size_t> next_runs(std::span<const Choice> choices, std::size_t count) {
  Beliefs beliefs(choices);
  std::vector<std::size_t> runs;
  while (runs.size() < count) {
    std::vector<double> gains(choices.size(), 0.0);
    for (std::size_t i = 0; i < choices.size(); ++i)
      if (choices[i].can_run && !beliefs.has(i)) gains[i] = beliefs.gain_of(i);
    const double most = *std::ranges::max_element(gains);
    if (most < least_gain) break;
    std::size_t cheapest = choices.size();
    for (std::size_t i = 0; i < choices.size(); ++i)
      if (gains[i] >= worth_as_much * most &&
          (cheapest == choices.size() || choices[i].price < choices[cheapest].price))
        cheapest = i;
    runs.push_back(cheapest);
    beliefs.add(cheapest);
  }
  return runs;
}

double expected_gain(std::span<const Choice> choices, std::span<const std::size_t> runs) {
  Beliefs beliefs(choices);
  const double before = beliefs.value();
  for (const std::size_t run : runs) beliefs.add(run);
  return before - beliefs.value();
}

}  // namespace echo::settle
