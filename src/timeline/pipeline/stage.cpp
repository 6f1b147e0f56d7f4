// The time of a pipeline stage between two of its tasks.
//
// Blocking transfers (Megatron-LM without --overlap-p2p-communication: batch_isend_irecv, then wait).
// Between two tasks a stage sends the output of the first and receives the input of the second in one batch,
// both at the same time (links are full duplex), and computes nothing meanwhile. With `clock` the end of the
// first task and `done` the end of the sender's task on the other side:
//     sent  = clock + hop                              (nothing to send: clock)
//     start = max(sent, max(clock, done) + hop)        (nothing to receive: sent)
// So each transfer occupies its sender once and its receiver once, even if the data was ready long before
// the receiver turned to it. The part of the gap that at least one of the two transfers covers is
// `hop_wait`; the rest is waiting for the partner. After its last task a stage still waits for its send. In
// the steady state of 1F1B this is exactly the paired send_forward_recv_backward /
// send_backward_recv_forward. Neglected: a sender does not wait until its partner posts the receive (in NCCL
// it does; in the steady state it would wait for that partner's reply anyway); in its warm-up and drain
// Megatron's plain 1F1B does the receive and the send one after the other, whereas here they overlap, which
// is too short by at most one hop per warm-up or drain task.
//
// Overlapped transfers: the output leaves when its task ends, one transfer at a time per stage and
// direction,
//     handed_on = max(end, end of the previous transfer that way) + hop,
// and only the task that needs it waits for it.
//
// Neighbouring chunks on one stage (also the turn from the last forward to its backward) transfer nothing.
//
// Pairs. A pair starts when both inputs are there and both outputs leave at its end, as Megatron-LM
// (send_forward_backward_recv_forward_backward) and DualPipe do, which wait for both receives before and send
// after. Blocking transfers of a pair share the ports of their GPU, so they follow each other. Neglected:
// with Megatron's overlapped transfers the outputs leave before embedding, loss and the like of the other
// chunk.
//
// Weights that are still being gathered. All stages start gathering when the step starts, so a chunk's first
// forward waits for an instant, not for a duration: later stages wait for their input anyway.
//
// Gradient traffic. The data lane of a stage serves its chunks in the order of their last backwards. A
// chunk's traffic ends at max( max(start + first_start, previous end) + busy, end of that backward + lag ).
// This is exact when the lane is free (previous end <= start + first_start) or the chunk's transfers are all
// there when their turn comes; otherwise, with gaps between the chunk's transfers behind a late predecessor,
// it is a lower bound, too short by at most those gaps.
#include "timeline/pipeline/stage.hpp"

#include <array>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline {

static SimTime hop(std::span<const SimTime> times, std::int32_t border) {
  return times.empty() ? SimTime::zero() : times[at(border)];
}

void lay_legs(const PipelineShape& shape, const Schedule& schedule, std::span<const ChunkTimes> times,
              const Hops& hops, std::span<const DataLane> data, std::vector<Leg>& out) {
  const std::int32_t chunks = shape.chunks;
  const Route route(shape);
  out.assign(at(3 * chunks), Leg{});
  for (std::int32_t leg = 0; leg < 2 * chunks; ++leg) {
    out[at(leg)].reads = leg % (2 * route.route) != 0;
    out[at(leg)].passes_on = (leg + 1) % (2 * route.route) != 0;
  }
  for (const ChunkId c : ids<ChunkId>(chunks)) {
    const ChunkTimes& time = times[at(c)];
    Leg& forward = out[at(route.leg_of({TaskKind::forward, c}))];
    Leg& backward = out[at(route.leg_of({TaskKind::backward, c}))];
    Leg& weight = out[at(route.weights_of(c))];
    forward.duration = time.forward;
    forward.special = std::max(time.forward, time.first_forward);
    forward.not_before = time.gathered;
    forward.special_at = 0;
    backward.input = time.backward_input;
    backward.duration =
        schedule.mixes_backwards ? time.whole_backward : time.backward_input + time.backward_weight;
    weight.duration = time.backward_weight;
    const auto ends_in = [&](Leg& last, SimTime special) {
      last.special = special;
      last.special_at = microbatches_per_chunk(shape) - 1;
      if (!data.empty()) last.data = data[at(c)];
    };
    if (schedule.splits_backward || (schedule.mixes_backwards && !schedule.defers))
      ends_in(weight, std::max(SimTime::zero(), time.last_backward - time.backward_input));
    if (!schedule.splits_backward) ends_in(backward, time.last_backward);
  }
  for (std::int32_t c = 0; c + 1 < chunks; ++c) {
    if ((c + 1) % route.route == 0) continue;
    if (shape.stage_of_chunk[at(c)] == shape.stage_of_chunk[at(c + 1)]) continue;
    const std::array<std::pair<std::int32_t, SimTime>, 2> senders{
        {{route.leg_of({TaskKind::forward, ChunkId(c)}), hop(hops.forward, c)},
         {route.leg_of({TaskKind::backward, ChunkId(c + 1)}), hop(hops.backward, c)}}};
    for (const auto& [sender, time] : senders) {
      ECHO_EXPECT(time >= SimTime::zero());
      if (hops.overlapped) {
        out[at(sender)].flight = time;
      } else {
        out[at(sender)].send = out[at(sender + 1)].receive = time;
      }
    }
  }
}

}  // namespace echo::timeline
