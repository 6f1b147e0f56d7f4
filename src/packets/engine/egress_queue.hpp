// The queues of a port: one for each priority, linked through the packets. Queue 0 goes first; the others
// take turns.
#pragma once

#include <array>
#include <cstdint>

#include "packets/engine/packet.hpp"

namespace echo::packets {

class EgressQueue {
 public:
  void push(PacketPool& pool, std::int32_t id) {
    Packet& packet = pool[id];
    Queue& queue = queues_[at(packet.priority)];
    packet.next = -1;
    if (queue.head < 0) {
      queue.head = id;
    } else {
      pool[queue.tail].next = id;
    }
    queue.tail = id;
    queue.bytes += packet.bytes;
    total_ += packet.bytes;
    filled_ |= 1U << packet.priority;
  }

  // The packet that goes next, among priorities for which `admits(priority, packet)`; -1 for none. Priority 0
  // is never held back.
  template <class Admits>
  [[nodiscard]] std::int32_t next(Admits&& admits) const {
    if (filled_ == 0) return -1;
    if ((filled_ & 1U) != 0) return queues_[0].head;
    for (int turn = 1; turn <= priorities; ++turn) {
      const int priority = (turn + last_) % priorities;
      const std::int32_t head = queues_[at(priority)].head;
      if ((filled_ >> priority & 1U) != 0 && admits(priority, head)) return head;
    }
    return -1;
  }

  // Removes what next() returned.
  void pop(PacketPool& pool, std::int32_t id) {
    const Packet& packet = pool[id];
    Queue& queue = queues_[at(packet.priority)];
    queue.head = packet.next;
    if (packet.next < 0) filled_ &= ~(1U << packet.priority);
    queue.bytes -= packet.bytes;
    total_ -= packet.bytes;
    if (packet.priority != 0) last_ = packet.priority;
  }

  [[nodiscard]] std::int64_t bytes(std::int32_t priority) const { return queues_[at(priority)].bytes; }
  [[nodiscard]] std::int64_t total() const { return total_; }

 private:
  struct Queue {
    std::int32_t head = -1, tail = -1;
    std::int64_t bytes = 0;
  };
  std::int64_t total_ = 0;
  std::uint32_t filled_ = 0;  // bit of a priority
  int last_ = 0;              // the priority that went last, of those that take turns
  std::array<Queue, priorities> queues_{};
};

}  // namespace echo::packets
