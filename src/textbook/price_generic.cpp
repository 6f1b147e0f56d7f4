// A textbook algorithm on bare links is a lower bound, to which a library's software adds: no launch, no
// protocol, no SM's copy rate. The choice is the least time over the hierarchical form and every plug-in
// applied directly to all ranks. The resources that it takes from simultaneous kernels are assumed, as there
// is no kernel to examine: those of NCCL on machines with NVLink, 16 CTAs, and 3 bytes of HBM traffic for
// each byte sent (own data read, incoming data written and read), as for its ring. Neglected: a reduction's
// root differs from a broadcast's in direction only and is timed as one.
#include "textbook/price_generic.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "textbook/hierarchy.hpp"
#include "textbook/machine_dimensions.hpp"

namespace echo::textbook {
namespace {

using ops::CollectiveKind;
using ops::GenericAlgorithm;

constexpr std::int32_t assumed_channels = 16;
constexpr double assumed_memory_bytes = 3.0;  // per byte sent

struct Taken {
  GenericAlgorithm algorithm = GenericAlgorithm::best;
  Hierarchical price;
};

double bytes_sent(const Call& call, double ranks) {  // by one rank
  const auto bytes = static_cast<double>(call.bytes);
  if (call.kind == CollectiveKind::broadcast || call.kind == CollectiveKind::send_recv) return bytes;
  return bytes * (ranks - 1.0) / ranks * (call.kind == CollectiveKind::all_reduce ? 2.0 : 1.0);
}

Taken price_as(GenericAlgorithm wanted, const Call& call, const std::vector<Dimension>& dimensions,
               const ops::GenericSettings& settings, std::vector<Step>& scratch) {
  if (wanted == GenericAlgorithm::hierarchical)
    return {wanted, hierarchical(call, dimensions, settings, scratch)};
  const auto table = algorithm_table();
  const auto found = std::ranges::find(table, wanted, &Algorithm::id);
  ECHO_EXPECT(found != table.end());
  const Algorithm& algorithm = **found;
  const bool neighbours = algorithm.neighbours_only && call.kind != CollectiveKind::all_to_all;
  const auto is_switch = [](const Dimension& d) { return d.kind == DimensionKind::switched; };
  if (dimensions.size() > 1 && !neighbours && !std::ranges::all_of(dimensions, is_switch)) return {};
  const Dimension flat = flattened(dimensions, neighbours);
  if (!algorithm.admits(call.kind, flat.kind, flat.size)) return {};
  return {wanted, {cost_of(algorithm, call, flat, scratch), 1}};
}

Taken price_best(const Call& call, const std::vector<Dimension>& dimensions,
                 const ops::GenericSettings& settings, std::vector<Step>& scratch) {
  Taken best;
  for (std::size_t i = 1; i < ops::generic_algorithm_names.size(); ++i) {
    const auto wanted = static_cast<GenericAlgorithm>(i);
    if (wanted == GenericAlgorithm::hierarchical && dimensions.size() == 1) continue;  // a plug-in's own
    const Taken taken = price_as(wanted, call, dimensions, settings, scratch);
    if (taken.price.chunks == 0) continue;
    if (best.price.chunks == 0 || taken.price.cost.time() < best.price.cost.time()) best = taken;
  }
  return best;
}

Taken send(const Call& call, const Dimension& outermost) {
  const SimTime wire = Bytes(call.bytes) / outermost.bandwidth;
  return {GenericAlgorithm::direct,
          {Cost{.latency = outermost.latency} + on_links(wire, outermost.reach), 1}};
}

}  // namespace

GenericPrice priced_as(GenericAlgorithm algorithm, const Call& call, std::int32_t ranks,
                       const Hierarchical& price) {
  const Cost& cost = price.cost;
  const auto time = static_cast<double>(cost.time().count());
  ECHO_ENSURE(time > 0.0);
  const auto share = [time](SimTime part) { return static_cast<double>(part.count()) / time; };
  const double sent = bytes_sent(call, ranks);
  return {.estimate = {.time = cost.time(),
                       .channels = assumed_channels,
                       .generic = algorithm,
                       .memory_rate = assumed_memory_bytes * sent / (time * 1e-12),
                       .by_scale_up = share(cost.scale_up),
                       .by_scale_out = share(cost.scale_out),
                       .by_latency = share(cost.latency)},
          .chunks = price.chunks};
}

GenericPrice price_generic(const ops::CollectiveQuery& query, const std::vector<Dimension>& dimensions,
                           const ops::GenericSettings& settings) {
  ECHO_EXPECT(query.payload.value >= 0);
  if (dimensions.empty() || query.payload.value == 0) return {};
  const Call call{query.kind == CollectiveKind::reduce ? CollectiveKind::broadcast : query.kind,
                  query.payload.value};
  std::vector<Step> scratch;
  Taken taken;
  if (call.kind == CollectiveKind::send_recv) {
    taken = send(call, dimensions.back());
  } else {
    if (settings.algorithm != GenericAlgorithm::best)
      taken = price_as(settings.algorithm, call, dimensions, settings, scratch);
    if (taken.price.chunks == 0) taken = price_best(call, dimensions, settings, scratch);
  }
  return priced_as(taken.algorithm, call, query.group.ranks, taken.price);
}

}  // namespace echo::textbook
