// Collectives that share links.
//
// Problem. A price is that of a collective alone. In a step the groups of one job overlap: gradients are
// reduced beside an all-to-all of experts, and keys travel round a ring beside both. Where two of them leave
// a GPU by the same link, that link serves both.
//
// Idea. A collective alone is in one of three states: it waits for the scale-up link (share u of its time),
// for the link out of the node (share o), or for neither (hops, launches, one SM's copies). Two collectives
// disturb each other only while both are in a state that needs the same link. The share of time in which
// that happens follows from the arrival theorem of closed queueing networks: a job that arrives at a station
// finds there, on average, the jobs that would be there if it were not in the system. So `a` meets `b` in a
// state for the share of time that `b` alone spends in it, and with one station, two jobs and processor
// sharing that is exact:
//   time of a beside b = time alone * (1 + sum over states i of a, j of b of
//                                          share_a,i share_b,j (1/x_ij - 1))
// x_ij is the rate that a keeps in that pair of states, max-min fair: links divide evenly the demands that
// exceed their rate, and a collective that demands less than half gets all it demands.
//   way out   demands r_a, r_b against max(r_a, r_b): the share of a NIC's rate that the fabric leaves (1 =
//             all of it). A collective that goes further up in the fabric also passes the nearer links, so
//             the wider of the two is the link they share.
//   scale-up  demands of what is left of both against 1. A ring that waits for the NICs runs through NVLink
//             at their rate, B_out / B_up of it; an all-to-all sends inside (q-1) of the (n-1) pieces per
//             GPU, and q (n-q) leave the node.
// Two collectives that wait for the same NICs all the time thus take twice as long each, two that wait for
// different links do not affect each other, and latency is never stretched. No pair carries more than the
// link does: (s_a + s_b) / (1 + s_a s_b) <= 1. For three, losses add (timeline/block/block.cpp): this is
// exact where all wait for one link all the time (three times as long), elsewhere too low by at most the
// delay of the two others to each other: a tenth of the time (tests/property/shared_links_test.cpp, against
// the exact recursion).
//
// Sources. Reiser and Lavenberg, "Mean-value analysis of closed multichain queueing networks", JACM 27
// (1980); Bertsekas and Gallager, "Data Networks", section 6.5 (max-min fairness). Nothing is fitted.
//
// Neglected. Shares are elasticities: where hops and wire hide each other a link is busy for longer than it
// delays the collective. Groups that use different paths through the fabric (dimensions of a torus, rails)
// are assumed to share it; NVLink of a mesh is treated as one pool; copies to the host share no NIC's PCIe
// switch. Traffic of other jobs.
#include "network/shared_links.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "machine/nic_share.hpp"

namespace echo::network {
namespace {

// Bytes a GPU sends through the scale-up network for each byte that its group sends out of the node.
double inside_per_outside(const ops::CollectiveQuery& query) {
  const machine::GroupSpan& group = query.group;
  if (group.ranks_per_node <= 1 || query.kind == ops::CollectiveKind::send_recv) return 0.0;
  if (query.kind != ops::CollectiveKind::all_to_all) return 1.0;  // passed on from GPU to GPU
  const double members = group.ranks_per_node, away = std::max(group.ranks - group.ranks_per_node, 1);
  return (members - 1.0) / (members * away);
}

// Rates of two collectives, as shares of their demands, where the sum of the demands may exceed the
// capacity.
struct Rates {
  double a = 1.0, b = 1.0;
};
Rates divide(double a, double b, double capacity) {
  if (a + b <= capacity) return {};
  const double fair = capacity / 2.0;
  return {std::min(a, std::max(fair, capacity - b)) / a, std::min(b, std::max(fair, capacity - a)) / b};
}

// The demand of one collective on the two links in one state.
struct Demand {
  double share = 0.0, inside = 0.0, outside = 0.0;
};
struct States {
  Demand state[2];
};
States states_of(const LinkDemand& use) {
  return {{{use.by_scale_up, 1.0, use.outside_meanwhile * use.reach},
           {use.by_scale_out, use.inside_meanwhile, use.reach}}};
}

}  // namespace

LinkDemand use_of(const ops::CollectiveQuery& query, const ops::CollectiveEstimate& estimate,
                  const machine::GroupLinks& links, const machine::ClusterSpec& cluster,
                  const machine::GpuSpec& gpu) {
  LinkDemand use{.by_scale_up = estimate.by_scale_up, .by_scale_out = estimate.by_scale_out};
  const double out = links.scale_out.bandwidth.value, up = links.scale_up.bandwidth.value;
  if (query.group.nodes <= 1 || out <= 0.0) return use;
  use.reach = out / machine::without_fabric(query.group, cluster, gpu).scale_out.bandwidth.value;
  if (up <= 0.0) return use;
  const double inside = inside_per_outside(query) * out / up;
  use.inside_meanwhile = std::min(1.0, inside);
  use.outside_meanwhile = inside > 0.0 ? std::min(1.0, 1.0 / inside) : 0.0;
  return use;
}

LinkLoss loss_beside(const LinkDemand& a, const LinkDemand& b) {
  LinkLoss loss;
  const double a_share = a.by_scale_up + a.by_scale_out, b_share = b.by_scale_up + b.by_scale_out;
  if (a_share <= 0.0 || b_share <= 0.0) return loss;
  const double widest = std::max(a.reach, b.reach);
  const States of_a = states_of(a), of_b = states_of(b);
  for (const Demand& i : of_a.state) {
    for (const Demand& j : of_b.state) {
      const double together = i.share * j.share;
      if (together <= 0.0) continue;
      const Rates out = divide(i.outside, j.outside, widest);
      const Rates up = divide(i.inside * out.a, j.inside * out.b, 1.0);
      loss.scale_out += together * (1.0 / out.a - 1.0);
      loss.scale_up += together * (1.0 / up.a - 1.0) / out.a;
    }
  }
  ECHO_ENSURE(loss.scale_up >= 0.0 && loss.scale_out >= 0.0);
  return loss;
}

void fill_losses(std::span<const LinkDemand> uses, std::size_t concurrent, std::vector<double>& scale_up_loss,
                 std::vector<double>& scale_out_loss) {
  const std::size_t row = uses.size(), first = std::min(concurrent, row);
  scale_up_loss.assign(row * row, 0.0);
  scale_out_loss.assign(row * row, 0.0);
  for (std::size_t a = 0; a < first; ++a) {
    for (std::size_t b = 0; b < first; ++b) {
      const LinkLoss loss = loss_beside(uses[a], uses[b]);
      scale_up_loss[a * row + b] = loss.scale_up;
      scale_out_loss[a * row + b] = loss.scale_out;
    }
  }
}

}  // namespace echo::network
