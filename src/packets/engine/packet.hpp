// Packets on their way, kept in a pool and named by their places in it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/at.hpp"
#include "base/units.hpp"

namespace echo::packets {

inline constexpr int priorities = 8;  // queue 0 goes before the others

// What a switch writes into a packet as it leaves, in HPCC's fields: a time of 24 bits (ns), transmitted
// bytes of 20 bits in units of 128 B, a queue length of 17 bits in units of 80 B, both times INT_MULTI.
struct HopTelemetry {
  std::uint32_t nanoseconds = 0, byte_units = 0, queue_units = 0;
  std::int64_t bits_per_second = 0;
};
inline constexpr int most_telemetry_hops = 5;
using Telemetry = std::array<HopTelemetry, most_telemetry_hops>;

struct Packet {
  enum class Kind : std::int8_t { data, acknowledgement, refusal, pause, resume };
  std::int32_t flow = -1;
  std::int32_t next = -1;     // in its queue
  std::int64_t sequence = 0;  // first byte of data; next byte expected by an acknowledgement
  std::int32_t bytes = 0;     // on the wire
  std::int32_t payload = 0;
  std::int32_t ingress = -1;  // the port on which it came
  std::int32_t hop = 0;       // ports passed
  SimTime sent{};             // by the host, of data
  SimTime complete{};         // its last bit is here (cut-through), else unused
  Kind kind = Kind::data;
  std::int8_t priority = 0;
  std::int8_t telemetry_hops = 0;
  bool marked = false;
};

// Packets keep their places in memory while others are taken.
class PacketPool {
 public:
  explicit PacketPool(bool has_telemetry) : has_telemetry_(has_telemetry) {}
  [[nodiscard]] std::int32_t take() {
    if (free_.empty()) add_block();
    const std::int32_t id = free_.back();
    free_.pop_back();
    (*this)[id] = {};
    return id;
  }
  void give_back(std::int32_t id) { free_.push_back(id); }
  [[nodiscard]] Packet& operator[](std::int32_t id) { return (*blocks_[at(id / block)])[at(id % block)]; }
  [[nodiscard]] Telemetry& telemetry(std::int32_t id) { return telemetry_[at(id)]; }

 private:
  static constexpr std::int32_t block = 1024;

  void add_block() {
    const std::int32_t first = length_of(blocks_) * block;
    blocks_.push_back(std::make_unique<std::array<Packet, block>>());
    if (has_telemetry_) telemetry_.resize(at(first + block));
    for (std::int32_t id = first + block; id > first;) free_.push_back(--id);
  }

  bool has_telemetry_;
  std::vector<std::unique_ptr<std::array<Packet, block>>> blocks_;
  std::vector<Telemetry> telemetry_;
  std::vector<std::int32_t> free_;
};

}  // namespace echo::packets
