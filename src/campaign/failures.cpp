// Renewal arguments, exact in the first three cumulants.
//
//   attempt   time until a failure, given that it comes within L: exponential, cut off at L. Its moments are
//             k! / rate^k P(k + 1, rate L) / P(1, rate L), with P the regularised lower gamma function.
//   stretch   time to get through L without a failure, where each failure costs Z and L begins again: L plus
//             a geometric number of (attempt + Z), with e^(rate L) - 1 failures in the mean. Its cumulants
//             follow from -log(1 - r (M - 1)), r that mean, M the moment generating function of attempt + Z.
//   downtime  a stretch of its own: failures during a restart begin it again (Daly 2006, A higher order
//             estimate of the optimum checkpoint interval for restart dumps, section 3).
//   segment   from one durable checkpoint to the next: L = work + stall. No failure: L. A failure: the
//             attempt, the downtime, and a stretch over L + durable, because the checkpoint last started is
//             lost with the segment until it is durable, and is written again. The mean is
//             (1/rate) e^(rate (downtime + durable)) (e^(rate L) - 1), Daly's where durable = 0.
//   waiting   the number of nodes under repair, stopped while the job waits, is Erlang's loss system with
//             spares + 1 servers and load rate x repair: the job waits for a share of B(spares + 1, load) of
//             all time, whatever the distribution of repairs (Erlang's formula is insensitive to it).
//
// The cumulants beyond the mean take repairs as exponential and the waits of different failures as
// independent, which is exact without spares, and where one always stands by.
#include "campaign/failures.hpp"

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "base/contract.hpp"

namespace echo::campaign {

namespace {

Moments attempt(double rate, double length) {
  const double expected = rate * length, failed = -std::expm1(-expected);
  if (failed <= 0.0) return {};
  const auto part = [&](double k) { return boost::math::gamma_p(k + 1.0, expected) / failed; };
  return {part(1.0) / rate, 2.0 * part(2.0) / (rate * rate), 6.0 * part(3.0) / (rate * rate * rate)};
}

Cumulants stretch(double rate, double length, const Cumulants& cost) {
  if (rate <= 0.0) return {length, 0.0, 0.0};
  const Moments z = moments_of(cumulants_of(attempt(rate, length)) + cost);
  const double r = std::expm1(rate * length);
  return {length + r * z.first, r * z.second + r * r * z.first * z.first,
          r * z.third + 3.0 * r * r * z.first * z.second + 2.0 * r * r * r * z.first * z.first * z.first};
}

// Erlang's B by its recursion over the servers.
double loss_share(std::int64_t servers, double load) {
  double share = 1.0;
  for (std::int64_t k = 1; k <= servers && share > 0.0; ++k)
    share = load * share / (static_cast<double>(k) + load * share);
  return share;
}

// The wait for a node after a failure: with some chance the shortest of spares + 1 repairs.
Cumulants wait_of(const FailureProcess& p) {
  const double load = p.rate * p.repair;
  if (load <= 0.0) return {};
  const double busy = static_cast<double>(p.spares + 1), share = waiting_share(p);
  const double chance = share * busy / ((1.0 - share) * load), mean = p.repair / busy;
  return cumulants_of(chance * Moments{mean, 2.0 * mean * mean, 6.0 * mean * mean * mean});
}

}  // namespace

double waiting_share(const FailureProcess& p) {
  const double load = p.rate * p.repair;
  return load > 0.0 ? loss_share(p.spares + 1, load) : 0.0;
}

Cumulants segment_time(const FailureProcess& p, double work) {
  ECHO_EXPECT(work > 0.0);
  const double length = work + p.stall;
  if (p.rate <= 0.0) return {length, 0.0, 0.0};
  const Cumulants wait = wait_of(p);
  const Cumulants down = wait + stretch(p.rate, p.downtime, wait);
  const Cumulants again = stretch(p.rate, length + p.durable, down);
  const Cumulants lost = cumulants_of(attempt(p.rate, length)) + down + again;
  const double failed = -std::expm1(-p.rate * length);
  const Moments late = moments_of(lost + Cumulants{-length, 0.0, 0.0});
  return Cumulants{length, 0.0, 0.0} + cumulants_of(failed * late);
}

double goodput_of(const FailureProcess& p, double work) {
  const double mean = segment_time(p, work).mean;
  return std::isfinite(mean) ? work / mean : 0.0;
}

double chance_of_none(const FailureProcess& p, double time) { return std::exp(-p.rate * time); }

}  // namespace echo::campaign
