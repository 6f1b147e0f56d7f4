#include "explain/row_settings.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/tiny_results.hpp"

namespace echo::explain {
namespace {

// Everything that row_settings() keeps, at random.
sweep::SweepSpec any_spec(std::mt19937& random) {
  const auto any = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  sweep::SweepSpec spec;
  spec.slowdown = static_cast<sweep::SlowdownModel>(any(std::ssize(sweep::slowdown_model_names)));
  spec.contention = static_cast<simulate::Contention>(any(std::ssize(simulate::contention_names)));
  spec.setting = static_cast<simulate::Setting>(any(std::ssize(simulate::setting_names)));
  spec.skew = {.sigma = 0.01 * any(10), .draws = any(100)};
  if (any(2) == 0) return spec;
  spec.workload = {.trace = "step.jsonl",
                   .format = any(2) == 0 ? "" : "kineto",
                   .times = static_cast<sweep::TraceTimes>(any(std::ssize(sweep::trace_times_names))),
                   .tokens = 4096.0 * any(3)};
  for (int i = any(3); i > 0; --i) spec.workload.data_groups.push_back("group " + std::to_string(i));
  return spec;
}

TEST(RowSettings, AreGivenBackWhole) {
  std::mt19937 random(19);
  for (int i = 0; i < 200; ++i) {
    const sweep::SweepSpec spec = any_spec(random);
    std::string problem;
    EXPECT_EQ(settings_again(row_settings(spec), spec.workload.trace, "", tiny_results({{}}), problem), spec);
    EXPECT_EQ(problem, "");
  }
}

TEST(RowSettings, OfALaterProgramAreAProblem) {
  std::string problem;
  static_cast<void>(
      settings_again({.slowdown = "oracle", .contention = "off"}, "", "", tiny_results({{}}), problem));
  EXPECT_EQ(problem, "this version of the program knows no slowdown \"oracle\"");
}

TEST(RowSettings, OfAnOlderFileAreThoseOfItsRow) {
  const auto older = [](double tax, const std::string& toml) {
    std::string problem;
    const sweep::SweepSpec spec =
        settings_again({}, "", toml, tiny_results({{.step = 2.0, .tax = tax}}), problem);
    EXPECT_EQ(problem, "");
    return spec;
  };
  EXPECT_EQ(older(0.0, "").slowdown, sweep::SlowdownModel::off);
  EXPECT_EQ(older(0.5, "").slowdown, sweep::SlowdownModel::automatic);
  EXPECT_EQ(older(0.5, "").contention, simulate::Contention::off);  // the file has no such column yet
  EXPECT_EQ(older(0.5, "[simulate]\ncontention = 'flow'\n").contention, simulate::Contention::flow);
}

TEST(RowSettings, OfAnOlderFileOfATraceNeedItsWorkload) {
  std::string problem;
  static_cast<void>(settings_again({}, "step.jsonl", "[space]\n", tiny_results({{}}), problem));
  EXPECT_EQ(problem, "its sweep has no [workload]");
}

}  // namespace
}  // namespace echo::explain
