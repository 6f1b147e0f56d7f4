// ECMP sends all packets of a flow over one cable, chosen by a hash of its header; the fullest cable
// determines the time of a synchronous exchange. Flows hashed to many cables arrive at each as a Poisson
// variable of mean `flows`, so the expected load of the fullest of m is
//   E[max] = sum over k >= 0 of 1 - P(at most k flows)^m
// and the slowest flow gets flows / E[max] of its even share. Sources: RFC 2992; Raab and Steger, "Balls
// into bins", 1998; Gangidi et al., "RDMA over Ethernet for distributed AI training at Meta scale", SIGCOMM
// 2024 (ECMP collides because there are few flows per NIC; more queue pairs help). A NIC has two flows at a
// time: NCCL runs two channels for each NIC, one queue pair each (NCCL_IB_QPS_PER_CONNECTION = 1), and in an
// all-to-all up to eight peers for each (NCCL src/enqueue.cc, addP2pToPlan). Neglected: that n flows into m
// cables are not exactly Poisson (E[max] is a little too large), enhanced hashes over several queue pairs.
#include "machine/hashed_flows.hpp"

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"

namespace echo::machine {

double hashed_flows(Traffic traffic, std::int32_t ranks) {
  constexpr double channels = 2.0, peers_at_once = 8.0;
  return traffic == Traffic::all_pairs ? channels * std::clamp(ranks - 1.0, 1.0, peers_at_once) : channels;
}

double even_share_of_hashed(double per_cable, double cables) {
  ECHO_EXPECT(per_cable > 0.0 && cables >= 1.0);
  if (cables <= 1.0) return 1.0;
  double at_most = std::exp(-per_cable), term = at_most, fullest = 0.0;
  for (std::int32_t k = 0; k < 100'000; ++k) {
    const double more = 1.0 - std::pow(at_most, cables);
    fullest += more;
    if (more < 1e-12 && k > per_cable) break;
    term *= per_cable / (k + 1);
    at_most = std::min(1.0, at_most + term);
  }
  return std::min(1.0, per_cable / fullest);
}

}  // namespace echo::machine
