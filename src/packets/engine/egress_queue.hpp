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
    const std::size_t queue = at(packet.priority);
    packet.next = -1;
    if (head_[queue] < 0) {
      head_[queue] = id;
    } else {
      pool[tail_[queue]].next = id;
    }
    tail_[queue] = id;
    bytes_[queue] += packet.bytes;
    total_ += packet.bytes;
    filled_ |= 1U << queue;
  }

  // The packet that goes next, among priorities for which `admits(priority, packet)`; -1 for none. Priority 0
  // is never held back.
  template <class Admits>
  [[nodiscard]] std::int32_t next(Admits&& admits) const {
    if (filled_ == 0) return -1;
    if ((filled_ & 1U) != 0) return head_[0];
    for (int turn = 1; turn <= priorities; ++turn) {
      const int queue = (turn + last_) % priorities;
      if ((filled_ >> queue & 1U) != 0 && admits(queue, head_[at(queue)])) return head_[at(queue)];
    }
    return -1;
  }

  // Removes what next() returned.
  void pop(PacketPool& pool, std::int32_t id) {
    const Packet& packet = pool[id];
    const std::size_t queue = at(packet.priority);
    head_[queue] = packet.next;
    if (packet.next < 0) filled_ &= ~(1U << queue);
    bytes_[queue] -= packet.bytes;
    total_ -= packet.bytes;
    if (queue != 0) last_ = static_cast<int>(queue);
  }

  [[nodiscard]] std::int64_t bytes(std::int32_t priority) const { return bytes_[at(priority)]; }
  [[nodiscard]] std::int64_t total() const { return total_; }

 private:
  std::array<std::int32_t, priorities> head_{-1, -1, -1, -1, -1, -1, -1, -1}, tail_{};
  std::array<std::int64_t, priorities> bytes_{};
  std::int64_t total_ = 0;
  std::uint32_t filled_ = 0;  // bit of a priority
  int last_ = 0;              // the priority that went last, of those that take turns
};

}  // namespace echo::packets
