// An input-queued router with virtual channels and credits, cycle by cycle.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/at.hpp"
#include "packets/flits/allocator.hpp"
#include "packets/flits/flit_settings.hpp"
#include "packets/flits/flit_topology.hpp"

namespace echo::packets {

struct Flit {
  std::int32_t packet = -1, injected = 0;  // cycle in which its node sent it
  std::int32_t channel = -1;               // virtual channel of the channel that it is on
  bool is_head = false, is_tail = false;
};

struct FlitPacket {
  RoutedPacket routed;
  std::int32_t created = 0, injected = 0, hops = 0;  // hops: routers that its tail has crossed
  bool is_measured = false;
  Route ahead;  // at the next router, where routing takes no time
};

// The sender's view of the buffers at the other end of a channel.
class Credits {
 public:
  Credits(const FlitSettings& settings)
      : channels_(at(static_cast<std::int32_t>(settings.virtual_channels))),
        size_(static_cast<std::int32_t>(settings.buffer_flits)),
        waits_(settings.waits_for_tail_credit != 0) {}
  [[nodiscard]] bool is_free(std::int32_t channel) const { return !channels_[at(channel)].is_taken; }
  [[nodiscard]] bool is_full(std::int32_t channel) const { return channels_[at(channel)].used >= size_; }
  [[nodiscard]] std::int32_t used() const { return used_; }
  void take(std::int32_t channel) {
    channels_[at(channel)].is_taken = true, channels_[at(channel)].has_tail = false;
  }
  void send(const Flit& flit);
  void free(std::uint64_t mask);  // bit of a virtual channel: one flit left it

 private:
  struct State {
    std::int32_t used = 0;
    bool is_taken = false, has_tail = false;
  };
  std::vector<State> channels_;
  std::int32_t size_, used_ = 0;
  bool waits_;
};

class Router : private Fullness {
 public:
  Router(std::int32_t id, const FlitTopology&, const FlitSettings&);

  void read_flit(std::int32_t port, const Flit& flit) { arrived_.push_back({port, flit}); }
  void read_credits(std::int32_t port, std::uint64_t mask, std::int32_t now) {
    credits_due_.push_back({now + credit_delay_, port, mask});
  }
  // All steps of one cycle.
  void run(std::int32_t now, std::vector<FlitPacket>& packets, Draws& draws);
  // What it writes in this cycle, at most one a port; false for none.
  [[nodiscard]] bool write_flit(std::int32_t port, Flit& flit);
  [[nodiscard]] bool write_credits(std::int32_t port, std::uint64_t& mask);

 private:
  enum class State : std::int8_t { idle, routing, choosing, active };
  struct Input {
    std::deque<Flit> flits;
    State state = State::idle;
    Route route;
    std::int32_t port = -1, channel = -1;  // allocated
  };
  struct Arrived {
    std::int32_t port;
    Flit flit;
  };
  struct DueCredit {
    std::int32_t time, port;
    std::uint64_t mask;
  };
  struct Due {
    std::int32_t time, input;
  };
  struct Crossing {
    std::int32_t time, port;
    Flit flit;
  };

  [[nodiscard]] std::int32_t used(std::int32_t port) const override { return outputs_[at(port)].used(); }
  void step(std::int32_t now, std::vector<FlitPacket>& packets, Draws& draws);
  void queue_inputs(std::int32_t now, const std::vector<FlitPacket>& packets);
  void begin_packet(std::int32_t input, const std::vector<FlitPacket>& packets);
  void request_channels();
  void request_crossbar();
  void finish_routes(std::int32_t now, std::vector<FlitPacket>& packets, Draws& draws);
  void take_channels();
  void cross(std::vector<FlitPacket>& packets, Draws& draws);
  void send(std::int32_t input, std::vector<FlitPacket>& packets, Draws& draws);

  std::int32_t id_, ports_, channels_;
  const FlitTopology& topology_;
  std::int32_t credit_delay_, routing_delay_, crossbar_delay_, rounds_;
  double speedup_, partial_cycles_ = 0;
  std::vector<Input> inputs_;                          // [port x channel]
  std::vector<Credits> outputs_;                       // [port]
  std::vector<std::int32_t> next_channel_;             // [port] turn of its channels at the crossbar
  std::vector<std::int32_t> crossbar_vote_;            // [port x port] the channel that asks
  std::vector<std::int32_t> next_router_, next_port_;  // [port] of where it leads; -1: a node
  Islip channel_allocator_, crossbar_allocator_;
  std::vector<Arrived> arrived_;
  std::deque<DueCredit> credits_due_;
  std::vector<Due> routing_;
  std::vector<std::int32_t> choosing_, active_;            // inputs that wait for a channel, for the crossbar
  std::size_t asking_channels_ = 0, asking_crossbar_ = 0;  // those that were there when the step began
  std::deque<Crossing> crossing_;
  std::vector<std::deque<Flit>> out_flits_;             // [port]
  std::vector<std::deque<std::uint64_t>> out_credits_;  // [port]
  std::vector<std::uint64_t> freed_;                    // [port] in this step
  bool is_idle_ = true;
};

}  // namespace echo::packets
