#include "simulate/report/error_bands.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "simulate/report/practice.hpp"
#include "tests/support/random_step_errors.hpp"

namespace echo::simulate {
namespace {

constexpr std::uint64_t seed = 8, cases = 300;

StepReport banded(const ErrorModel& model, const Evidence& evidence, StepReport report) {
  report_errors(model, evidence, report);
  return report;
}

double of(const StepReport& report, ErrorSource source) {
  return static_cast<double>(report.error[static_cast<std::size_t>(source)]);
}

TEST(ErrorBands, AreTheRootOfTheSquaresOfContributionsThatAreNotNegative) {
  for (std::uint64_t i = 0; i < cases; ++i) {
    const StepReport report = banded({}, support::random_evidence(seed, i), support::random_report(seed, i));
    double sum = 0.0;
    for (const float one : report.error) {
      ASSERT_GE(one, 0.0F) << i;
      sum += static_cast<double>(one) * static_cast<double>(one);
    }
    ASSERT_NEAR(static_cast<double>(report.rel_error), std::sqrt(sum), 1e-6) << i;
    ASSERT_NEAR(static_cast<double>(report.rel_error_p90), ErrorModel{}.p90 * std::sqrt(sum), 1e-6) << i;
  }
}

TEST(ErrorBands, AreNoNarrowerWhereThereIsLessEvidence) {
  for (std::uint64_t i = 0; i < cases; ++i) {
    const StepReport report = support::random_report(seed, i);
    const Evidence known = support::random_evidence(seed, i);
    const float before = banded({}, known, report).rel_error;
    Evidence relative = known, unmeasured = known, larger = known, guessed = known, modelled = known,
             mixture = known, untried = known, assumed = known, new_gpu = known, new_framework = known,
             tuning = known;
    relative.gpu_error += 0.1;
    unmeasured.network_measured = false;
    larger.octaves_beyond += 1.0;
    guessed.graded[static_cast<std::size_t>(ops::Grade::extrapolated)] +=
        guessed.graded[static_cast<std::size_t>(ops::Grade::modelled)];
    guessed.graded[static_cast<std::size_t>(ops::Grade::modelled)] = SimTime::zero();
    mixture.mixes_experts = true;
    untried.untried = 0b101;
    new_gpu.untried |= bit_of(Choice::gpu);
    new_framework.framework_tried = false;
    tuning.tunes = true;
    assumed.settings_from = SettingsFrom::defaults;
    modelled.graded[static_cast<std::size_t>(ops::Grade::modelled)] +=
        modelled.graded[static_cast<std::size_t>(ops::Grade::measured)];
    modelled.graded[static_cast<std::size_t>(ops::Grade::measured)] = SimTime::zero();
    for (const Evidence& worse : {relative, unmeasured, larger, guessed, modelled, mixture, untried, assumed,
                                  new_gpu, new_framework, tuning})
      ASSERT_GE(banded({}, worse, report).rel_error, before) << i;
  }
}

TEST(ErrorBands, OfAStepThatDependsOnOneThingAreThoseOfThatThing) {
  StepReport report;
  report.step = report.step_no_slowdown = from_seconds(1.0);
  report.bottleneck[static_cast<std::size_t>(Bottleneck::scale_out)] = 1.0;
  ErrorModel model;
  model.sigma = {};
  model.sigma[static_cast<std::size_t>(ErrorSource::scale_out)] = 0.2;
  report = banded(model, {}, report);
  EXPECT_NEAR(of(report, ErrorSource::scale_out), 0.2, 1e-6);
  for (const ErrorSource other : {ErrorSource::arithmetic, ErrorSource::host, ErrorSource::framework})
    EXPECT_EQ(of(report, other), 0.0);
  EXPECT_GT(of(report, ErrorSource::layout), 0.0) << "part of every error is of each config its own";
  EXPECT_LT(of(report, ErrorSource::layout), 0.2);
}

TEST(ErrorBands, OfAssumedSettingsCarryThoseOfTheFrameworkAndOfTheFabric) {
  StepReport report;
  report.step = report.step_no_slowdown = from_seconds(1.0);
  report.bottleneck[static_cast<std::size_t>(Bottleneck::scale_out)] = 0.5;
  ErrorModel model;
  model.sigma = {};
  model.own_share = 0.0;
  Evidence assumed;
  assumed.settings_from = SettingsFrom::suite;
  EXPECT_NEAR(of(banded(model, assumed, report), ErrorSource::framework), model.unstated_suite, 1e-6);
  assumed.settings_from = SettingsFrom::defaults;
  report = banded(model, assumed, report);
  EXPECT_NEAR(of(report, ErrorSource::framework), model.unstated_settings, 1e-6);
  EXPECT_NEAR(of(report, ErrorSource::scale_out), 0.5 * std::expm1(model.unstated_machine), 1e-6);
  EXPECT_EQ(of(report, ErrorSource::scale_up), 0.0);
}

TEST(ErrorBands, AreWiderWhereTheRateOfProductsOrTheHostIsLessCertain) {
  const StepReport report = support::random_report(seed, 2);
  Evidence certain;
  certain.host_measured = true;
  const StepReport narrow = banded({}, certain, report);
  Evidence evidence = certain;
  evidence.rate_error = 0.1;
  EXPECT_GT(of(banded({}, evidence, report), ErrorSource::arithmetic), of(narrow, ErrorSource::arithmetic));
  EXPECT_EQ(of(banded({}, evidence, report), ErrorSource::memory), of(narrow, ErrorSource::memory));
  evidence = certain, evidence.host_measured = false;
  EXPECT_GT(of(banded({}, evidence, report), ErrorSource::host), of(narrow, ErrorSource::host));
  EXPECT_EQ(of(banded({}, evidence, report), ErrorSource::arithmetic), of(narrow, ErrorSource::arithmetic));
}

TEST(ErrorBands, CountAHostThatJustKeepsAhead) {
  StepReport report;
  report.step = report.step_no_slowdown = from_seconds(1.0);
  report.bottleneck[static_cast<std::size_t>(Bottleneck::arithmetic)] = 1.0;
  ErrorModel model;
  model.sigma[static_cast<std::size_t>(ErrorSource::host)] = 0.3;
  Evidence evidence;
  evidence.host_measured = true;
  const auto host = [&](double issued, double bubble) {
    evidence.issued = from_seconds(issued);
    report.exposed[static_cast<std::size_t>(TimeCategory::bubble)] = from_seconds(bubble);
    return of(banded(model, evidence, report), ErrorSource::host);
  };
  EXPECT_EQ(host(0.5, 0.0), 0.0) << "far ahead";
  EXPECT_NEAR(host(0.9, 0.0), 0.9 * 1.3 - 1.0, 1e-6);
  EXPECT_NEAR(host(1.0, 0.0), 0.3, 1e-6) << "as where the GPU waits";
  EXPECT_GT(host(0.7, 0.3), host(0.7, 0.0)) << "in a bubble there is nothing to issue";
}

TEST(ErrorBands, CountLateHostsOfOtherRanksWhereNobodyRanTheFramework) {
  StepReport report;
  report.step = report.step_no_slowdown = from_seconds(1.0);
  ErrorModel model;
  model.sigma = {};
  Evidence evidence;
  evidence.host_measured = true;
  evidence.peers = from_seconds(0.4);
  EXPECT_EQ(of(banded(model, evidence, report), ErrorSource::host), 0.0);
  evidence.framework_tried = false;
  EXPECT_NEAR(of(banded(model, evidence, report), ErrorSource::host), 0.4 * 1.5, 1e-6);
}

TEST(ErrorBands, AreWiderWhereACompilerWritesKernels) {
  const StepReport report = support::random_report(seed, 2);
  ErrorModel model;
  model.compiled = 0.1;
  const double none = of(banded(model, {}, report), ErrorSource::framework);
  const StepReport compiled = banded(model, {.compiles = true}, report);
  EXPECT_NEAR(of(compiled, ErrorSource::framework), std::hypot(none, 0.1), 1e-6);
}

TEST(ErrorBands, WidenTheOwnErrorByEachUntriedChoice) {
  const StepReport report = support::random_report(seed, 2);
  ErrorModel model;
  model.untried_choice = 0.05;
  const double none = of(banded(model, {}, report), ErrorSource::layout);
  const StepReport three = banded(model, {.untried = 0b10110}, report);
  EXPECT_NEAR(of(three, ErrorSource::layout), std::sqrt(none * none + 3 * 0.05 * 0.05), 1e-6);
  EXPECT_EQ(three.untried, 0b10110);
}

TEST(ErrorBands, AreWiderOnAGpuOrAFrameworkThatNobodyRan) {
  StepReport report;
  report.step = report.step_no_slowdown = from_seconds(1.0);
  report.bottleneck[static_cast<std::size_t>(Bottleneck::arithmetic)] = 0.75;
  report.bottleneck[static_cast<std::size_t>(Bottleneck::memory)] = 0.25;
  ErrorModel model;
  model.sigma = {}, model.own_share = 0.0, model.untried_choice = 1.0;
  model.untried_gpu = 0.2, model.untried_framework = 0.1;
  const StepReport gpu = banded(model, {.untried = bit_of(Choice::gpu)}, report);
  EXPECT_NEAR(of(gpu, ErrorSource::arithmetic), 0.75 * 0.2, 1e-6);
  EXPECT_NEAR(of(gpu, ErrorSource::memory), 0.25 * 0.2, 1e-6);
  EXPECT_EQ(of(gpu, ErrorSource::layout), 0.0) << "it does not count among the choices of a config";
  const StepReport framework = banded(model, {.framework_tried = false}, report);
  EXPECT_NEAR(of(framework, ErrorSource::layout), 0.1, 1e-6);
  EXPECT_EQ(of(framework, ErrorSource::arithmetic), 0.0);
}

TEST(ErrorBands, SayWhichPartsReachBeyondTheirEvidence) {
  const StepReport report = support::random_report(seed, 1);
  Evidence sound;
  sound.graded[static_cast<std::size_t>(ops::Grade::modelled)] = from_seconds(1.0);
  sound.host_measured = true;
  EXPECT_EQ(banded({}, sound, report).out_of_range, 0);
  Evidence evidence = sound;
  evidence.graded[static_cast<std::size_t>(ops::Grade::extrapolated)] = from_seconds(0.2);
  EXPECT_EQ(banded({}, evidence, report).out_of_range, bit_of(Beyond::kernel_shapes));
  evidence = sound, evidence.gpu_error = 0.06;
  EXPECT_EQ(banded({}, evidence, report).out_of_range, bit_of(Beyond::gpu_kind));
  evidence = sound, evidence.network_measured = false;
  EXPECT_EQ(banded({}, evidence, report).out_of_range, bit_of(Beyond::network));
  evidence = sound, evidence.octaves_beyond = 2.0, evidence.host_measured = false;
  EXPECT_EQ(banded({}, evidence, report).out_of_range, bit_of(Beyond::group_size) | bit_of(Beyond::host));
}

}  // namespace
}  // namespace echo::simulate
