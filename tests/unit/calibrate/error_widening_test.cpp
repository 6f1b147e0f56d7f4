#include "calibrate/steps/error_widening.hpp"

#include <gtest/gtest.h>

#include <string>

#include "accuracy/coverage.hpp"
#include "calibrate/steps/error_fit.hpp"

namespace echo::calibrate {
namespace {

// Runs with the errors 0.01 to 0.10, whose bands have the model's `framework` and the kind's error alone.
std::vector<StepError> runs_of(const std::string& publication, bool tunes) {
  std::vector<StepError> out;
  for (int i = 1; i <= 10; ++i) {
    StepError one{.row = std::to_string(i), .publication = publication, .error = 0.01 * i};
    one.report.step = one.report.step_no_slowdown = from_seconds(1.0);
    one.evidence.tunes = tunes;
    one.evidence.host_measured = true;
    out.push_back(one);
  }
  return out;
}

simulate::ErrorModel model_of(double framework, double tuning) {
  simulate::ErrorModel model;
  model.sigma = {};
  model.own_share = 0.0;
  model.sigma[static_cast<std::size_t>(ErrorSource::framework)] = framework;
  model.tuning = tuning;
  model.p90 = 1.0;
  return model;
}

double covered(const LeftOut& one, const Widening& widening) {
  simulate::ErrorModel model = one.model;
  widen(model, widening);
  return accuracy::coverage(banded(one.stated, model), model.p90).covered;
}

TEST(ErrorWidening, CoversRunsLeftOutByOneNumber) {
  const std::vector<LeftOut> all{{runs_of("a", false), {}, model_of(0.04, 0.0)},
                                 {runs_of("b", false), {}, model_of(0.04, 0.0)}};
  const Widening widening = widening_of(all);
  EXPECT_NEAR(widening.p90, 2.0, 1e-6) << "0.08 of 0.04";
  EXPECT_NEAR(covered(all[0], widening), 0.8, 1e-9);
  for (const double factor : widening.of_kind) EXPECT_EQ(factor, 1.0);
}

TEST(ErrorWidening, LeavesWideBandsOfHostsOutOfTheCommonNumber) {
  LeftOut hosts{runs_of("hosts", false), {}, model_of(0.04, 0.0)};
  for (StepError& one : hosts.stated) {
    one.report.bottleneck[static_cast<std::size_t>(Bottleneck::host)] = 1.0;
    one.evidence.host_measured = false;
  }
  hosts.model.unmeasured_host = 0.5;
  const LeftOut others{runs_of("others", false), {}, model_of(0.04, 0.0)};
  const Widening widening = widening_of({hosts, others});
  EXPECT_NEAR(widening.p90, 2.0, 1e-6);
  EXPECT_LT(widening.of_kind[0], 0.1) << "twice 0.04 is enough, and that is the framework's";
}

TEST(ErrorWidening, WidensAKindThatTheCommonNumberLeavesOut) {
  const std::vector<LeftOut> all{{runs_of("a", false), {}, model_of(0.04, 0.01)},
                                 {runs_of("b", false), {}, model_of(0.04, 0.01)},
                                 {runs_of("c", true), {}, model_of(0.02, 0.01)}};
  const Widening widening = widening_of(all);
  EXPECT_NEAR(covered(all[2], widening), 0.8, 1e-9);
  EXPECT_GT(widening.of_kind[2], 1.0);
  EXPECT_EQ(widening.of_kind[1], 1.0) << "nothing mixes experts";
}

}  // namespace
}  // namespace echo::calibrate
