// Conditioning against its slow twin: every source as a variable, and the matrix solved as it stands.
#include "settle/conditioning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/student_t.hpp"
#include "settle/run_noise.hpp"
#include "tests/support/random_choices.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::settle {
namespace {

struct Case {
  std::vector<Choice> choices;
  std::vector<std::size_t> at;
  std::vector<double> surprises;
  std::vector<MeasuredRun> runs;
};

Case random_case(std::uint64_t seed) {
  Case out{
      .choices = random_choices(seed, 3 + draw(seed, 0, 90) % 20), .at = {}, .surprises = {}, .runs = {}};
  const std::size_t runs = draw(seed, 0, 91) % (1 + std::min<std::size_t>(6, out.choices.size()));
  for (std::size_t i = 0; i < runs; ++i) {
    out.at.push_back(out.choices.size() - 1 - i);
    out.surprises.push_back(0.05 * draw_normal(seed, i, 92));
    out.runs.push_back({static_cast<std::int64_t>(out.at.back()), out.choices[out.at.back()].error,
                        out.surprises.back(), out.choices[out.at.back()].noise});
  }
  return out;
}

TEST(Conditioning, EqualsTheMatrixSolvedAsItStands) {
  for (std::uint64_t seed = 0; seed < support::trials(200U); ++seed) {
    const Case c = random_case(seed);
    const Conditioning known(c.runs);
    const DenseTwin twin(c.choices, c.at);
    std::vector<RowError> left;
    for (std::size_t i = 0; i < c.choices.size(); ++i) {
      const auto about = known.about(static_cast<std::int64_t>(i), c.choices[i].error);
      EXPECT_NEAR(about.shift, twin.shift(i, c.surprises), 1e-12) << "seed " << seed;
      left.push_back(known.remaining(c.choices[i].error, about.explained));
    }
    const double widened = known.spread() * known.spread();
    for (std::size_t i = 0; i < left.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_NEAR(step_covariance(left[i], left[j], Rows::different), widened * twin.covariance(i, j),
                    1e-12);
        EXPECT_NEAR(step_variance(left[i], left[j]),
                    widened * (twin.covariance(i, i) + twin.covariance(j, j) - 2.0 * twin.covariance(i, j)),
                    1e-12)
            << "seed " << seed;
      }
  }
}

TEST(Conditioning, TellsTheSameInAnyOrderOfRuns) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Case c = random_case(seed);
    const Conditioning forward(c.runs);
    std::ranges::reverse(c.runs);
    const Conditioning backward(c.runs);
    EXPECT_NEAR(forward.spread(), backward.spread(), 1e-12);
    for (std::size_t i = 0; i < c.choices.size(); ++i)
      EXPECT_NEAR(forward.about(static_cast<std::int64_t>(i), c.choices[i].error).shift,
                  backward.about(static_cast<std::int64_t>(i), c.choices[i].error).shift, 1e-12);
  }
}

TEST(Conditioning, OfConditionedErrorsIsConditioningOnAllRuns) {
  // Beliefs that were explained of some runs, explained of others, where the scale is left as it was.
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Case c = random_case(seed);
    if (c.runs.size() < 2) continue;
    const std::size_t half = c.runs.size() / 2;
    const Conditioning first(std::span(c.runs).first(half)), all(c.runs);
    const double undone = 1.0 / first.spread();
    const auto explained = [&](std::int64_t row, const RowError& error) {
      RowError left = first.remaining(error, first.about(row, error).explained);
      for (double& one : left.step) one *= undone;
      for (double& one : left.explained) one *= undone;
      return left;
    };
    std::vector<MeasuredRun> others(c.runs.begin() + static_cast<std::ptrdiff_t>(half), c.runs.end());
    for (MeasuredRun& run : others) {
      run.surprise -= first.about(run.row, run.error).shift;
      run.error = explained(run.row, run.error);
    }
    const Conditioning second(others);
    for (std::size_t i = 0; i < c.choices.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i);
      const RowError& error = c.choices[i].error;
      EXPECT_NEAR(first.about(row, error).shift + second.about(row, explained(row, error)).shift,
                  all.about(row, error).shift, 1e-11)
          << "seed " << seed;
    }
  }
}

TEST(Conditioning, WithoutRunsChangesNothing) {
  const Conditioning known({});
  const RowError error = random_row_error(1, 2, 0.05);
  EXPECT_EQ(known.about(0, error).shift, 0.0);
  EXPECT_TRUE(known.about(0, error).explained.empty());
  EXPECT_EQ(known.spread(), 1.0);
}

TEST(Conditioning, OfARowItselfLeavesTheNoiseOfItsRun) {
  const RowError error = random_row_error(1, 2, 0.05);
  const double noise = 1e-6;
  const MeasuredRun run{7, error, 0.1, noise};
  const Conditioning known(std::span(&run, 1));
  const auto about = known.about(7, error);
  EXPECT_NEAR(about.shift, 0.1, 1e-4);
  const double left =
      step_variance(known.remaining(error, about.explained)) / (known.spread() * known.spread());
  EXPECT_NEAR(left, noise, 1e-9);
}

TEST(Conditioning, WidensByStudentsTWhereRunsAreFurtherOffThanTheModel) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Case c = random_case(seed);
    const auto n = static_cast<int>(c.runs.size());
    if (n == 0) continue;
    // The scale matrix of a t with as much between its tenths as the normal law: C (z90 / t90)^2.
    const double t90 = student_t_quantile(0.9, 4),
                 distance = DenseTwin(c.choices, c.at).distance(c.surprises);
    const double scaled = distance * std::pow(t90 / z90, 2);
    EXPECT_NEAR(Conditioning(c.runs).spread(),
                std::sqrt((4.0 + scaled) / (4.0 + n)) * student_t_quantile(0.9, 4 + n) / t90, 1e-9);
  }
  const RowError error = random_row_error(1, 2, 0.05);
  const auto spread = [&](double surprise) {
    const MeasuredRun run{0, error, surprise, 1e-4};
    return Conditioning(std::span(&run, 1)).spread();
  };
  EXPECT_LT(spread(0.0), 1.0);
  EXPECT_LT(spread(0.02), spread(0.2));
  EXPECT_GT(spread(0.5), 1.5);
}

TEST(RunNoise, MoreStepsTellTheirMeanToTheAskedPrecision) {
  for (const double precision : {0.05, 0.01, 0.005, 0.001}) {
    const std::int64_t steps = steps_for(precision);
    EXPECT_LE(step_to_step / std::sqrt(static_cast<double>(steps)), precision * (1.0 + 1e-9));
    if (steps > 1) {
      EXPECT_GT(step_to_step / std::sqrt(static_cast<double>(steps - 1)), precision);
    }
  }
  EXPECT_GT(noise_variance(1), noise_variance(100));
  EXPECT_GT(noise_variance(1'000'000), run_to_run * run_to_run * 0.999);
}

}  // namespace
}  // namespace echo::settle
