// The shared buffer of every switch: what each ingress port and priority occupies of its reserve, the shared
// part and its headroom, and when that pauses the sender.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "packets/engine/packet.hpp"
#include "packets/engine/parameters.hpp"
#include "packets/fabric/fabric.hpp"

namespace echo::packets {

// `port`: the one through which packets come in; its receiver is the switch.
class SwitchBuffers {
 public:
  SwitchBuffers(const Fabric&, const Parameters&);
  [[nodiscard]] bool admits(std::int32_t port, std::int32_t priority, std::int64_t bytes) const;
  void add(std::int32_t port, std::int32_t priority, std::int64_t bytes);
  void remove(std::int32_t port, std::int32_t priority, std::int64_t bytes);
  [[nodiscard]] bool should_pause(std::int32_t port, std::int32_t priority) const;
  [[nodiscard]] bool should_resume(std::int32_t port, std::int32_t priority) const;
  void set_paused(std::int32_t port, std::int32_t priority, bool paused);
  [[nodiscard]] std::int64_t threshold(std::int32_t port) const;  // of the shared part
  [[nodiscard]] std::int64_t used(std::int32_t port, std::int32_t priority) const;

 private:
  struct Ingress {
    std::array<std::int64_t, priorities> bytes{}, headroom_used{};
    std::uint32_t paused = 0;  // bit of a priority
    std::int64_t headroom = 0;
    std::int32_t node = 0, shift = 3;
  };
  struct Switch {
    std::int64_t shared = 0, shared_used = 0;
  };
  [[nodiscard]] std::int64_t shared_of(const Ingress& ingress, std::int32_t priority) const;

  std::vector<Ingress> ingress_;  // [port]
  std::vector<Switch> switches_;  // [node]
  std::int64_t reserve_, resume_offset_, fixed_threshold_;
  bool is_dynamic_;
};

}  // namespace echo::packets
