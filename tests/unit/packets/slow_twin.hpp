// An obvious packet simulator: a sorted list of events, a queue of copies for each port, no congestion
// control, no pauses, no marks. Flows take given paths; hosts send the next packet of the next flow in turn
// whenever their link is free.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "packets/engine/simulation.hpp"

namespace echo::packets {

class SlowTwin {
 public:
  SlowTwin(const Fabric& fabric, std::vector<Flow> flows, std::int32_t data_bytes, std::int32_t ack_bytes)
      : fabric_(fabric),
        flows_(std::move(flows)),
        data_bytes_(data_bytes),
        ack_bytes_(ack_bytes),
        ports_(static_cast<std::size_t>(fabric.ports())),
        sent_(flows_.size()),
        acked_(flows_.size()),
        times_(flows_.size()) {}

  std::vector<FlowTime> run() {
    for (std::size_t flow = 0; flow < flows_.size(); ++flow)
      if (flows_[flow].after < 0) after(flows_[flow].start, [this, flow] { begin(flow); });
    while (!events_.empty()) {
      const auto first = events_.begin();
      now_ = first->first.first;
      const auto action = first->second;
      events_.erase(first);
      action();
    }
    return times_;
  }

 private:
  struct Packet {
    std::size_t flow = 0;
    bool is_data = true;
    std::int64_t end = 0;  // last byte of data, or next byte expected
    std::size_t hop = 0;
    std::int32_t bytes = 0;
  };
  struct Port {
    std::deque<Packet> queue;
    std::vector<std::size_t> flows;
    std::size_t last = 0;  // place of the flow that sent last
    bool busy = false;
  };

  void after(SimTime delay, std::function<void()> action) {
    events_.emplace(std::pair{now_ + delay, count_++}, std::move(action));
  }

  void begin(std::size_t flow) {
    times_[flow].start = now_;
    const std::int32_t port = path(flow, true).front();
    ports_[static_cast<std::size_t>(port)].flows.push_back(flow);
    send(port);
  }

  std::vector<std::int32_t> path(std::size_t flow, bool is_data) const {
    std::vector<std::int32_t> nodes = flows_[flow].nodes;
    if (!is_data) nodes.assign(flows_[flow].nodes.rbegin(), flows_[flow].nodes.rend());
    return ports_along(fabric_, nodes);
  }

  // The place of the next flow after the last one that has bytes to send; past the end for none. Acknowledged
  // flows that are met on the way leave the list.
  std::size_t next_of(Port& port) {
    const std::size_t count = port.flows.size();
    std::vector<std::size_t> met;
    std::size_t chosen = count;
    for (std::size_t turn = 1; turn <= count && chosen == count; ++turn) {
      const std::size_t place = (port.last + turn) % count;
      if (sent_[port.flows[place]] < flows_[port.flows[place]].bytes)
        chosen = place;
      else if (acked_[port.flows[place]] == flows_[port.flows[place]].bytes)
        met.push_back(place);
    }
    if (met.empty()) return chosen;
    const std::size_t first = *std::min_element(met.begin(), met.end());
    std::vector<std::size_t> kept(port.flows.begin(),
                                  port.flows.begin() + static_cast<std::ptrdiff_t>(first));
    std::size_t moved = chosen;
    for (std::size_t place = first; place < count; ++place) {
      const std::size_t flow = port.flows[place];
      if (acked_[flow] == flows_[flow].bytes) continue;
      if (place == chosen) moved = kept.size();
      kept.push_back(flow);
    }
    port.flows = kept;
    return chosen == count ? kept.size() : moved;
  }

  void send(std::int32_t id) {
    Port& port = ports_[static_cast<std::size_t>(id)];
    if (port.busy) return;
    Packet packet;
    if (!port.queue.empty()) {
      packet = port.queue.front();
      port.queue.pop_front();
    } else {
      const std::size_t place = next_of(port);
      if (place == port.flows.size()) return;
      port.last = place;
      const std::size_t flow = port.flows[place];
      const std::int64_t payload = std::min<std::int64_t>(1000, flows_[flow].bytes - sent_[flow]);
      sent_[flow] += payload;
      packet = {flow, true, sent_[flow], 0, static_cast<std::int32_t>(payload) + data_bytes_ - 1000};
    }
    port.busy = true;
    const double picoseconds = packet.bytes * 8e12 / static_cast<double>(fabric_.link_of(id).bits_per_second);
    const SimTime time(static_cast<std::int64_t>(picoseconds / 1000 + 0.5) * 1000);  // whole nanoseconds
    after(time, [this, id] {
      ports_[static_cast<std::size_t>(id)].busy = false;
      send(id);
    });
    after(time + fabric_.link_of(id).delay, [this, packet] { arrive(packet); });
  }

  void arrive(Packet packet) {
    const auto ports = path(packet.flow, packet.is_data);
    if (++packet.hop < ports.size()) return put(ports[packet.hop], packet);
    if (packet.is_data)
      return put(path(packet.flow, false).front(), {packet.flow, false, packet.end, 0, ack_bytes_});
    acked_[packet.flow] = packet.end;
    if (packet.end < flows_[packet.flow].bytes) return;
    times_[packet.flow].duration = now_ - times_[packet.flow].start;
    for (std::size_t flow = 0; flow < flows_.size(); ++flow)
      if (flows_[flow].after == static_cast<std::int32_t>(packet.flow))
        after(SimTime(0), [this, flow] { begin(flow); });
  }

  void put(std::int32_t port, const Packet& packet) {
    ports_[static_cast<std::size_t>(port)].queue.push_back(packet);
    send(port);
  }

  const Fabric& fabric_;
  std::vector<Flow> flows_;
  std::int32_t data_bytes_, ack_bytes_;
  std::vector<Port> ports_;
  std::vector<std::int64_t> sent_, acked_;  // [flow] bytes
  std::vector<FlowTime> times_;
  std::map<std::pair<SimTime, std::int64_t>, std::function<void()>> events_;
  std::int64_t count_ = 0;
  SimTime now_{};
};

}  // namespace echo::packets
