// A fit covers the publications that it saw better than others. So each publication is left out in turn, and
// bands are scaled until 80 % of the runs left out are inside, a publication weighing as the root of its
// runs: first by one number of standard deviations, for runs of no kind of their own; then each kind's by the
// error that only the kind has.
//   host       bands that are mostly those of a host that no step tells. Its error is assumed, not fitted,
//              and several times as wide as any other: counted with the rest, such bands, which contain
//              their runs, would make up for narrow ones that do not. It may become smaller, too.
//   mixtures of experts, fine-tuning, kernels that a compiler writes: a likelihood tells little of their
//              errors, because the Student's t of a publication (error_fit.cpp) takes its scale from the
//              publication itself, and a kind has two to five of them. They only become larger.
// Bands that are mostly what collectives may wait for hosts of other ranks count for none of them: one
// publication has such runs. These five are the only numbers for which a publication counts for its own
// bands. Neglected: that a run is of two kinds; the first counts.
#include "calibrate/steps/error_widening.hpp"

#include <algorithm>
#include <cmath>

#include "accuracy/coverage.hpp"
#include "base/at.hpp"
#include "calibrate/steps/error_fit.hpp"
#include "simulate/report/error_bands.hpp"

namespace echo::calibrate {

namespace {

using simulate::ErrorModel;

constexpr double covered = 0.80;
constexpr double most = 16.0;  // times what was fitted

struct WorkKind {
  double ErrorModel::*error;
  double least;  // factor
};
constexpr std::array<WorkKind, work_kind_count> kinds{{{&ErrorModel::unmeasured_host, 1.0 / most},
                                                       {&ErrorModel::mixtures, 1.0},
                                                       {&ErrorModel::tuning, 1.0},
                                                       {&ErrorModel::compiled, 1.0}}};
constexpr std::size_t no_kind = kinds.size(), peers = no_kind + 1;

double square(double x) { return x * x; }

// In the order of `kinds`; as the fit sees the run, whatever it is widened by.
std::size_t kind_of(const StepError& run, const ErrorModel& fitted) {
  const auto error = simulate::contributions(fitted, run.evidence, run.report);
  double all = 0.0;
  for (const double one : error) all += square(one);
  const double of_peers = square(simulate::error_of_peers(run.evidence, run.report)),
               of_host = square(error[at(ErrorSource::host)]) - of_peers;
  if (of_peers > all / 2) return peers;
  if (!run.evidence.host_measured && of_host > all / 2) return 0;
  if (run.evidence.mixes_experts) return 1;
  if (run.evidence.tunes) return 2;
  return run.evidence.compiles ? 3 : no_kind;
}

// The runs of a kind as described, with bands of 80 %.
std::vector<accuracy::BandedError> bands(const std::vector<LeftOut>& all, const Widening& widening,
                                         std::size_t kind) {
  std::vector<accuracy::BandedError> out;
  for (const LeftOut& one : all) {
    ErrorModel model = one.model;
    widen(model, widening);
    const auto runs = banded(one.stated, model);
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (kind_of(one.stated[i], one.model) == kind)
        out.push_back({runs[i].group, runs[i].error, model.p90 * runs[i].band});
  }
  return out;
}

// The least factor on the kind's error with which its runs are covered.
double factor_of(std::size_t kind, const std::vector<LeftOut>& all, Widening widening) {
  if (bands(all, widening, kind).empty()) return 1.0;
  const auto covers = [&](double factor) {
    widening.of_kind.at(kind) = factor;
    return accuracy::factor_that_covers(bands(all, widening, kind), covered) <= 1.0;
  };
  double low = kinds.at(kind).least, high = most;
  if (covers(low)) return low;
  for (int i = 0; i < 30; ++i) {
    const double middle = std::sqrt(low * high);
    (covers(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

void widen(ErrorModel& model, const Widening& widening) {
  model.p90 *= widening.p90;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    model.*kinds.at(kind).error *= widening.of_kind.at(kind);
}

Widening widening_of(const std::vector<LeftOut>& all) {
  Widening out;
  if (const auto runs = bands(all, out, no_kind); !runs.empty())
    out.p90 = accuracy::factor_that_covers(runs, covered);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) out.of_kind.at(kind) = factor_of(kind, all, out);
  return out;
}

}  // namespace echo::calibrate
