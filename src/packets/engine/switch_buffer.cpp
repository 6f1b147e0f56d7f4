// A packet that comes in counts against the reserve of its ingress port and priority, then against the shared
// part, and past the threshold against the headroom that is kept for what is under way when a pause is sent:
//   threshold = (buffer - sum headroom - sum reserve - shared in use) >> shift
// shift is 3 for ports at the rate of the hosts and one less for every doubling above it; headroom is
// 3 rate delay / 8. A pause is sent when the shared use reaches the threshold or headroom is in use; a resume
// when no headroom is in use and the use is `PFC resume offset` below the threshold. Source: the switch model
// of HPCC's simulator (switch-mmu.cc), after Broadcom's Trident.
#include "packets/engine/switch_buffer.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace echo::packets {
namespace {

std::int64_t headroom_of(const Link& link, const Parameters& parameters) {
  if (parameters.headroom_bytes >= 0) return static_cast<std::int64_t>(parameters.headroom_bytes);
  const double bytes = static_cast<double>(link.bits_per_second) / 8 * to_seconds(link.delay);
  return static_cast<std::int64_t>(bytes) * 3;
}

// The rate of the first host's first link.
std::int64_t host_rate(const Fabric& fabric) {
  for (std::int32_t node = 0; node < fabric.nodes(); ++node) {
    if (!fabric.is_host(node)) continue;
    for (const Link& link : fabric.links)
      if (link.a == node || link.b == node) return link.bits_per_second;
  }
  return 0;
}

std::int32_t shift_of(std::int64_t rate, std::int64_t host) {
  std::int32_t shift = 3;
  for (; rate > host && shift > 0; rate /= 2) --shift;
  return shift;
}

}  // namespace

SwitchBuffers::SwitchBuffers(const Fabric& fabric, const Parameters& parameters)
    : ingress_(at(fabric.ports())),
      switches_(at(fabric.nodes())),
      reserve_(static_cast<std::int64_t>(parameters.reserve_bytes)),
      resume_offset_(static_cast<std::int64_t>(parameters.resume_offset_bytes)),
      fixed_threshold_(static_cast<std::int64_t>(parameters.pfc_threshold_bytes)),
      is_dynamic_(parameters.dynamic_threshold != 0) {
  const std::int64_t host = host_rate(fabric);
  for (Switch& one : switches_) one.shared = static_cast<std::int64_t>(parameters.buffer_mib * 1048576);
  for (std::int32_t port = 0; port < fabric.ports(); ++port) {
    Ingress& ingress = ingress_[at(port)];
    const Link& link = fabric.link_of(port);
    ingress.node = fabric.receiver(port);
    ingress.headroom = headroom_of(link, parameters);
    ingress.shift = shift_of(link.bits_per_second, host);
    switches_[at(ingress.node)].shared -= ingress.headroom + reserve_;
  }
}

std::int64_t SwitchBuffers::threshold(std::int32_t port) const {
  if (fixed_threshold_ >= 0) return fixed_threshold_;
  const Ingress& ingress = ingress_[at(port)];
  const Switch& one = switches_[at(ingress.node)];
  return std::max<std::int64_t>(0, one.shared - (is_dynamic_ ? one.shared_used : 0)) >> ingress.shift;
}

std::int64_t SwitchBuffers::shared_of(const Ingress& ingress, std::int32_t priority) const {
  return std::max<std::int64_t>(0, ingress.bytes[at(priority)] - reserve_);
}

std::int64_t SwitchBuffers::used(std::int32_t port, std::int32_t priority) const {
  const Ingress& ingress = ingress_[at(port)];
  return ingress.bytes[at(priority)] + ingress.headroom_used[at(priority)];
}

bool SwitchBuffers::admits(std::int32_t port, std::int32_t priority, std::int64_t bytes) const {
  const Ingress& ingress = ingress_[at(port)];
  return bytes + ingress.headroom_used[at(priority)] <= ingress.headroom ||
         bytes + shared_of(ingress, priority) <= threshold(port);
}

void SwitchBuffers::add(std::int32_t port, std::int32_t priority, std::int64_t bytes) {
  Ingress& ingress = ingress_[at(port)];
  const std::int64_t over = ingress.bytes[at(priority)] + bytes - reserve_;
  if (over > 0 && over > threshold(port)) {
    ingress.headroom_used[at(priority)] += bytes;
    return;
  }
  ingress.bytes[at(priority)] += bytes;
  if (over > 0) switches_[at(ingress.node)].shared_used += std::min(bytes, over);
}

void SwitchBuffers::remove(std::int32_t port, std::int32_t priority, std::int64_t bytes) {
  Ingress& ingress = ingress_[at(port)];
  const std::int64_t from_headroom = std::min(ingress.headroom_used[at(priority)], bytes);
  const std::int64_t from_shared = std::min(bytes - from_headroom, shared_of(ingress, priority));
  ingress.headroom_used[at(priority)] -= from_headroom;
  ingress.bytes[at(priority)] -= bytes - from_headroom;
  switches_[at(ingress.node)].shared_used -= from_shared;
}

bool SwitchBuffers::should_pause(std::int32_t port, std::int32_t priority) const {
  const Ingress& ingress = ingress_[at(port)];
  if ((ingress.paused >> priority & 1U) != 0) return false;
  return ingress.headroom_used[at(priority)] > 0 || shared_of(ingress, priority) >= threshold(port);
}

bool SwitchBuffers::should_resume(std::int32_t port, std::int32_t priority) const {
  const Ingress& ingress = ingress_[at(port)];
  if ((ingress.paused >> priority & 1U) == 0 || ingress.headroom_used[at(priority)] != 0) return false;
  const std::int64_t shared = shared_of(ingress, priority);
  return shared == 0 || shared + resume_offset_ <= threshold(port);
}

void SwitchBuffers::set_paused(std::int32_t port, std::int32_t priority, bool paused) {
  const std::uint32_t bit = 1U << priority;
  ingress_[at(port)].paused = paused ? ingress_[at(port)].paused | bit : ingress_[at(port)].paused & ~bit;
}

}  // namespace echo::packets
