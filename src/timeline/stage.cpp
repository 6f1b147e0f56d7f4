// What a pipeline stage does between two of its tasks.
//
// Blocking transfers (Megatron-LM without --overlap-p2p-communication: batch_isend_irecv, then wait). Between
// two tasks a stage sends the output of the first and receives the input of the second in one batch, both at
// once (links are full duplex), and computes nothing meanwhile. With `clock` the end of the first task and
// `done` the end of the sender's task on the other side:
//     sent  = clock + hop                              (nothing to send: clock)
//     start = max(sent, max(clock, done) + hop)        (nothing to receive: sent)
// So each transfer occupies its sender once and its receiver once, even if the data was ready long before the
// receiver turned to it. Of the gap, `hop_wait` is what at least one of the two transfers covers; the rest is
// waiting for the partner. After its last task a stage still waits for its send. In the steady state of 1F1B
// this is exactly the paired send_forward_recv_backward / send_backward_recv_forward. Neglected: a sender
// does not wait until its partner posts the receive (it does in NCCL; in the steady state it would wait for
// that partner's reply anyway); in its warm-up and drain Megatron's plain 1F1B does the receive and the send
// one after the other, here they overlap, which is short by at most one hop per warm-up or drain task.
//
// Overlapped transfers: the output leaves when its task ends, one transfer at a time per stage and direction,
//     handed_on = max(end, end of the previous transfer that way) + hop,
// and nobody waits but the task that needs it.
//
// Neighbouring chunks on one stage (also the turn from the last forward to its backward) transfer nothing.
//
// Weights that are still being gathered. All stages start gathering when the step starts, so what a chunk's
// first forward waits for is an instant, not a duration: later stages wait for their input anyway.
//
// Gradient traffic. The data lane of a stage serves its chunks in the order of their last backwards. A
// chunk's traffic ends at max( max(start + first_start, previous end) + busy, end of that backward + lag ).
// Exact when the lane is free (previous end <= start + first_start) or the chunk's transfers are all there
// when their turn comes; otherwise, with gaps between the chunk's transfers behind a late predecessor, a
// lower bound, short by at most those gaps.
#include "timeline/stage.hpp"

#include <array>
#include <utility>

#include "base/contract.hpp"
#include "timeline/pipeline.hpp"

namespace echo::timeline {

static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

static SimTime hop(std::span<const SimTime> times, std::int32_t border) {
  return times.empty() ? SimTime::zero() : times[at(border)];
}

void lay_legs(const PipelineShape& shape, const Schedule& schedule, std::span<const ChunkTimes> times,
              const Hops& hops, std::span<const DataLane> data, std::vector<Leg>& out) {
  const std::int32_t chunks = shape.chunks;
  out.assign(at(3 * chunks), Leg{});
  for (std::int32_t c = 0; c < chunks; ++c) {
    const ChunkTimes& time = times[at(c)];
    Leg& forward = out[at(c)];
    Leg& backward = out[at(2 * chunks - 1 - c)];
    Leg& weight = out[at(2 * chunks + c)];
    forward.duration = time.forward;
    forward.special = time.forward;
    forward.not_before = time.gathered;
    forward.special_at = 0;
    backward.duration = time.backward_input;
    (schedule.splits_backward ? weight : backward).duration += time.backward_weight;
    Leg& last = schedule.splits_backward ? weight : backward;
    last.special = time.last_backward;
    if (schedule.splits_backward)
      last.special = std::max(SimTime::zero(), time.last_backward - time.backward_input);
    last.special_at = shape.microbatches - 1;
    if (!data.empty()) last.data = data[at(c)];
  }
  for (std::int32_t c = 0; c + 1 < chunks; ++c) {
    if (shape.stage_of_chunk[at(c)] == shape.stage_of_chunk[at(c + 1)]) continue;
    const std::array<std::pair<std::int32_t, SimTime>, 2> senders{
        {{c, hop(hops.forward, c)}, {2 * chunks - 2 - c, hop(hops.backward, c)}}};
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
