// The messages of ASTRA-sim's algorithms. A message of b bytes over h hops takes
//   h latency + b / link               where messages do not notice each other (congestion-unaware back end)
//   h latency + links b / link         where each link stores and forwards it (congestion-aware); a switch
//                                      is two links
// and the rank that gets it an endpoint delay e, and if it reduces, 3 b / memory: two reads and a write. With
// n ranks, m = S/n, and `+` for e behind each message, one e at the start:
//   ring               reduce-scatter, all-gather (n-1) m+; all-reduce both; all-to-all n (n-1) / 2 m+, as
//                      every piece is passed on from neighbour to neighbour
//   direct             to all others at once, or as many as the window has; all-reduce twice. On a ring of
//                      the congestion-aware back end they queue on links between (direct_on_ring.hpp)
//   halving-doubling   S/2 to the neighbour, S/4 two ranks on, ...; all-gather back
//   double binary tree the whole buffer up one tree and down; of two trees, chunks take turns
// Messages of one direct phase share the port of a switch in the congestion-aware back end only. Source:
// astra-sim/system/astraccl/native_collectives/collective_algorithm and system/{MemBus,PacketBundle}.cc of
// ASTRA-sim 518bd51; congestion_{un,}aware of astra-network-analytical 599a047. A halving-doubling
// all-reduce reduces once less than it receives there, and so here. Neglected: cuts to whole nanoseconds.
#include "textbook/message_phase.hpp"

#include <algorithm>
#include <bit>

#include "base/contract.hpp"
#include "machine/given_algorithms.hpp"
#include "textbook/direct_on_ring.hpp"

namespace echo::textbook {
namespace {

using machine::AlgorithmChoice;
using machine::ChosenCollective;
using machine::DimensionAlgorithm;
using machine::LinkSharing;
using ops::CollectiveKind;

class Messages {
 public:
  Messages(const Dimension& dimension, const MessageCosts& costs) : d_(dimension), costs_(costs) {}

  [[nodiscard]] Cost run(const Call& call, const AlgorithmChoice& choice) const {
    switch (choice.algorithm) {
      case DimensionAlgorithm::ring:
        return ring(call);
      case DimensionAlgorithm::direct:
        return direct(call, choice.window);
      case DimensionAlgorithm::halving_doubling:
        return halving_doubling(call);
      case DimensionAlgorithm::double_binary_tree:
        return double_binary_tree(call.bytes);
      case DimensionAlgorithm::fastest:
        break;
    }
    ECHO_EXPECT(false);
    return {};
  }

  // Where chunks keep a link busy, the next one's first message follows the last of this one on the cable.
  [[nodiscard]] Cost early_end_of_ring(const Call& call) const {
    return behind_turns(piece_of(call.bytes, d_.size), ring_step(),
                        call.kind == CollectiveKind::reduce_scatter);
  }
  // Inner ranks of a tree wait neither for the last message nor for its end. Where messages notice each
  // other, what they send next queues behind it on the same cable, and behind both children's on a port.
  [[nodiscard]] Cost early_end_of_tree(std::int64_t bytes) const {
    if (costs_.sharing == LinkSharing::unaware) return message(bytes, 1, false);
    if (d_.kind != DimensionKind::switched) return endpoint() + Cost{.latency = d_.latency};
    const std::int64_t levels = std::bit_width(static_cast<std::uint32_t>(d_.size)) - 1;
    return message(bytes, 1, false) + wire(bytes, std::max<std::int64_t>(0, levels - 2));
  }

 private:
  [[nodiscard]] Cost endpoint() const { return {.endpoint = costs_.endpoint_delay}; }
  [[nodiscard]] Cost wire(std::int64_t bytes, std::int64_t times) const {
    return on_links(times * (Bytes(bytes) / d_.cable()), d_.reach);
  }
  [[nodiscard]] Cost reduction(std::int64_t bytes) const {
    if (costs_.reduction_memory.value <= 0.0) return {};
    return {.endpoint = 3 * (Bytes(bytes) / costs_.reduction_memory)};
  }
  [[nodiscard]] std::int64_t hops(std::int64_t apart) const {
    if (d_.kind == DimensionKind::ring) return std::min(apart, d_.size - apart);
    return d_.kind == DimensionKind::line ? apart : 1;
  }
  // To the rank `apart` further, and the end of its receiver, were it the only one.
  [[nodiscard]] Cost lone_message(std::int64_t bytes, std::int64_t apart, bool reduces) const {
    const std::int64_t h = hops(apart);
    const std::int64_t links = d_.kind == DimensionKind::switched ? 2 : h;
    Cost cost{.latency = h * d_.latency};
    cost += wire(bytes, costs_.sharing == LinkSharing::aware ? links : 1);
    cost += endpoint();
    if (reduces) cost += reduction(bytes);
    return cost;
  }
  // While a rank waits, the link serves the chunks beside this one; at most it is always busy.
  [[nodiscard]] bool takes_turns(std::int64_t bytes, const Cost& lone) const {
    return costs_.sharing == LinkSharing::aware && wire(bytes, costs_.beside).time() > lone.time();
  }
  [[nodiscard]] Cost message(std::int64_t bytes, std::int64_t apart, bool reduces) const {
    const Cost lone = lone_message(bytes, apart, reduces);
    return takes_turns(bytes, lone) ? wire(bytes, costs_.beside) : lone;
  }
  // What is left of the last message of a busy link once it has left it.
  [[nodiscard]] Cost behind_turns(std::int64_t bytes, std::int64_t apart, bool reduces) const {
    const Cost lone = lone_message(bytes, apart, reduces);
    return takes_turns(bytes, lone) ? lone + -1 * wire(bytes, 1) : Cost{};
  }

  // The way round a line is the way back.
  [[nodiscard]] std::int64_t ring_step() const { return d_.kind == DimensionKind::line ? d_.size - 1 : 1; }
  [[nodiscard]] Cost ring(const Call& call) const {
    const std::int64_t n = d_.size, piece = piece_of(call.bytes, n), apart = ring_step();
    Cost cost = endpoint() + early_end_of_ring(call);
    if (call.kind == CollectiveKind::all_to_all) return cost + n * (n - 1) / 2 * message(piece, apart, false);
    if (call.kind != CollectiveKind::all_gather) cost += (n - 1) * message(piece, apart, true);
    if (call.kind != CollectiveKind::reduce_scatter) cost += (n - 1) * message(piece, apart, false);
    return cost;
  }

  // The last message's links and receivers; what remains, it and others before it were on links.
  [[nodiscard]] Cost direct_in_queues(std::int64_t bytes, std::int64_t window, bool reduces) const {
    const Cost receiver = reduces ? endpoint() + reduction(bytes) : endpoint();
    const LastMessage last = direct_on_ring({.ranks = d_.size,
                                             .window = window,
                                             .beside = costs_.beside,
                                             .wire = wire(bytes, 1).time(),
                                             .latency = d_.latency,
                                             .receiver = receiver.time()});
    const Cost own = Cost{.latency = last.hops * d_.latency} + (last.before + 1) * receiver;
    return own + on_links(last.end - own.time(), d_.reach);
  }

  // Each of `window` slots sends to every window-th rank further on; the slowest counts.
  [[nodiscard]] Cost half_of_direct(std::int64_t bytes, std::int64_t window, bool reduces) const {
    if (costs_.sharing == LinkSharing::aware && d_.kind == DimensionKind::ring)
      return direct_in_queues(bytes, window, reduces);
    Cost slowest;
    for (std::int64_t slot = 1; slot <= window; ++slot) {
      Cost chain;
      for (std::int64_t apart = slot; apart < d_.size; apart += window)
        chain += message(bytes, apart, reduces);
      if (chain.time() > slowest.time()) slowest = chain;
    }
    if (costs_.sharing == LinkSharing::unaware || d_.kind == DimensionKind::fully_connected) return slowest;
    if (d_.kind == DimensionKind::switched) {
      const std::int64_t rounds = (d_.size - 1 + window - 1) / window;
      return slowest + wire(bytes, d_.size - 1 - rounds);
    }
    const Cost load = cost_of(Step{.pattern = Pattern::all_pairs, .bytes = bytes}, d_);
    return load.time() > slowest.time() ? load + endpoint() : slowest;
  }
  [[nodiscard]] Cost direct(const Call& call, std::int64_t window) const {
    const std::int64_t all = d_.size - 1, piece = piece_of(call.bytes, d_.size);
    const std::int64_t at_once = window > 0 ? std::min(window, all) : all;
    const bool reduces =
        call.kind == CollectiveKind::all_reduce || call.kind == CollectiveKind::reduce_scatter;
    Cost cost = endpoint() + half_of_direct(piece, at_once, reduces);
    if (call.kind == CollectiveKind::all_reduce) cost += half_of_direct(piece, at_once, false);
    return cost;
  }

  [[nodiscard]] Cost halving_doubling(const Call& call) const {
    Cost cost = endpoint();
    const std::int64_t n = d_.size;
    const bool scatters = call.kind != CollectiveKind::all_gather;
    for (std::int64_t apart = 1; apart < n; apart *= 2) {
      const std::int64_t bytes = piece_of(call.bytes, 2 * apart);
      if (scatters) cost += message(bytes, apart, false);
      if (scatters && apart > 1) cost += reduction(bytes);
      if (call.kind != CollectiveKind::reduce_scatter) cost += message(bytes, apart, false);
    }
    return cost;
  }

  [[nodiscard]] Cost double_binary_tree(std::int64_t bytes) const {
    Cost cost = endpoint();
    for (std::int64_t apart = 1; apart < d_.size; apart *= 2) {
      cost += 2 * message(bytes, apart, true);
      const bool has_sibling = 2 * apart < d_.size;  // both come to one port, and leave by it
      if (has_sibling && costs_.sharing == LinkSharing::aware && d_.kind == DimensionKind::switched)
        cost += wire(bytes, 2);
    }
    return cost + -1 * reduction(bytes);  // the leaves at the end only receive
  }

  const Dimension& d_;
  const MessageCosts& costs_;
};

}  // namespace

std::optional<ChosenCollective> chosen_collective(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return ChosenCollective::all_reduce;
    case CollectiveKind::all_gather:
      return ChosenCollective::all_gather;
    case CollectiveKind::reduce_scatter:
      return ChosenCollective::reduce_scatter;
    case CollectiveKind::all_to_all:
      return ChosenCollective::all_to_all;
    default:
      return std::nullopt;
  }
}

bool serves(DimensionAlgorithm algorithm, CollectiveKind kind, std::int32_t ranks) {
  const auto collective = chosen_collective(kind);
  return collective && algorithm != DimensionAlgorithm::fastest && machine::does(algorithm, *collective) &&
         machine::fits(algorithm, ranks);
}

// The one asked for, or the fastest where it does not serve.
static AlgorithmChoice serving(const Call& call, AlgorithmChoice choice, const Dimension& dimension,
                               const Messages& messages) {
  if (serves(choice.algorithm, call.kind, dimension.size)) return choice;
  AlgorithmChoice best;
  SimTime least{};
  for (const DimensionAlgorithm one :
       {DimensionAlgorithm::ring, DimensionAlgorithm::direct, DimensionAlgorithm::halving_doubling,
        DimensionAlgorithm::double_binary_tree}) {
    if (!serves(one, call.kind, dimension.size)) continue;
    const SimTime time = messages.run(call, {one, 0}).time();
    if (least != SimTime::zero() && time >= least) continue;
    best = {one, 0};
    least = time;
  }
  return best;
}

PhaseCost message_phase(const Call& call, AlgorithmChoice choice, const Dimension& dimension,
                        const MessageCosts& costs) {
  ECHO_EXPECT(dimension.size > 1 && shares_data_evenly(call.kind));
  const Messages messages(dimension, costs);
  const AlgorithmChoice chosen = serving(call, choice, dimension, messages);
  PhaseCost phase{messages.run(call, chosen), {}};
  if (chosen.algorithm == DimensionAlgorithm::ring) phase.early = messages.early_end_of_ring(call);
  if (chosen.algorithm == DimensionAlgorithm::double_binary_tree)
    phase.early = messages.early_end_of_tree(call.bytes);
  return phase;
}

}  // namespace echo::textbook
