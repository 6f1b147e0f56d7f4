#include "packets/fabric/routing.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::packets {
namespace {

// Neighbours by falling number: the reference keeps nodes in the order of their addresses in memory, where
// large objects (switches) lie the lower the later they were made.
Csr<std::int32_t> ports_by_sender(const Fabric& fabric) {
  std::vector<std::int32_t> ports(at(fabric.ports()));
  for (std::int32_t i = 0; i < fabric.ports(); ++i) ports[at(i)] = i;
  std::stable_sort(ports.begin(), ports.end(), [&](std::int32_t x, std::int32_t y) {
    if (fabric.sender(x) != fabric.sender(y)) return fabric.sender(x) < fabric.sender(y);
    return fabric.receiver(x) > fabric.receiver(y);
  });
  Csr<std::int32_t> rows;
  std::size_t next = 0;
  for (std::int32_t node = 0; node < fabric.nodes(); ++node) {
    while (next < ports.size() && fabric.sender(ports[next]) == node) rows.push(ports[next++]);
    rows.close_row();
  }
  return rows;
}

// Breadth first from a host backwards; ports towards it are listed in the order in which they are met.
class RoutesToHost {
 public:
  RoutesToHost(const Fabric& fabric, const Csr<std::int32_t>& out_ports)
      : fabric_(fabric), out_ports_(out_ports), distance_(at(fabric.nodes())), place_(at(fabric.nodes())) {}

  void add(std::int32_t host, Csr<std::int32_t>& rows) {
    std::ranges::fill(distance_, -1);
    std::ranges::fill(place_, 0);
    search(host);
    auto next = static_cast<std::int32_t>(rows.value.size());
    for (std::int32_t& place : place_) {  // from the length of a row to where it begins
      next += std::exchange(place, next);
      rows.offset.push_back(next);
    }
    rows.value.resize(at(next));
    for (const std::int32_t node : queue_)
      for (const std::int32_t port : out_ports_.row(node))
        if (const std::int32_t other = fabric_.receiver(port);
            distance_[at(other)] == distance_[at(node)] + 1)
          rows.value[at(place_[at(other)]++)] = Fabric::opposite(port);
  }

 private:
  void search(std::int32_t host) {
    queue_.assign(1, host);
    distance_[at(host)] = 0;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const std::int32_t node = queue_[i];
      for (const std::int32_t port : out_ports_.row(node)) {
        const std::int32_t other = fabric_.receiver(port);
        if (distance_[at(other)] < 0) {
          distance_[at(other)] = distance_[at(node)] + 1;
          if (!fabric_.is_host(other)) queue_.push_back(other);
        }
        if (distance_[at(other)] == distance_[at(node)] + 1) ++place_[at(other)];
      }
    }
  }

  const Fabric& fabric_;
  const Csr<std::int32_t>& out_ports_;
  std::vector<std::int32_t> distance_, place_;  // [node]
  std::vector<std::int32_t> queue_;
};

constexpr std::uint32_t rotate_left(std::uint32_t x, int bits) { return (x << bits) | (x >> (32 - bits)); }

// The address that the reference gives a node: 11.x.y.1, where x.y is its number.
constexpr std::uint32_t address_of(std::int32_t node) {
  const auto number = static_cast<std::uint32_t>(node);
  return 0x0b000001U + ((number / 256) << 16) + ((number % 256) << 8);
}

}  // namespace

Routes::Routes(const Fabric& fabric) : nodes_(fabric.nodes()), host_rank_(at(fabric.nodes()), -1) {
  const Csr<std::int32_t> out_ports = ports_by_sender(fabric);
  RoutesToHost routes(fabric, out_ports);
  std::int32_t hosts = 0;
  for (std::int32_t node = 0; node < nodes_; ++node) {
    if (!fabric.is_host(node)) continue;
    host_rank_[at(node)] = hosts++;
    routes.add(node, ports_);
  }
}

std::span<const std::int32_t> Routes::next_ports(std::int32_t node, std::int32_t host) const {
  ECHO_EXPECT(host_rank_[at(host)] >= 0);
  return ports_.row(host_rank_[at(host)] * nodes_ + node);
}

std::uint32_t path_hash(const FlowLabel& label, std::uint32_t seed) {
  const std::array<std::uint32_t, 3> words{
      address_of(label.source), address_of(label.destination),
      label.source_port | static_cast<std::uint32_t>(label.destination_port) << 16};
  std::uint32_t hash = seed;
  for (std::uint32_t word : words) {
    word = rotate_left(word * 0xcc9e2d51U, 15) * 0x1b873593U;
    hash = rotate_left(hash ^ word, 13) * 5 + 0xe6546b64U;
  }
  hash ^= 12;
  hash = (hash ^ (hash >> 16)) * 0x85ebca6bU;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35U;
  return hash ^ (hash >> 16);
}

std::vector<std::int32_t> path_of(const Fabric& fabric, const Routes& routes, const FlowLabel& label,
                                  PathChoice choice) {
  std::vector<std::int32_t> path;
  for (std::int32_t node = label.source; node != label.destination; node = fabric.receiver(path.back())) {
    const auto ports = routes.next_ports(node, label.destination);
    if (ports.empty()) return {};
    const bool hashes = choice == PathChoice::hashed && ports.size() > 1;
    const std::size_t chosen = hashes ? path_hash(label, static_cast<std::uint32_t>(node)) % ports.size() : 0;
    path.push_back(ports[chosen]);
  }
  return path;
}

std::vector<std::int32_t> ports_along(const Fabric& fabric, std::span<const std::int32_t> nodes) {
  std::vector<std::int32_t> path;
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    std::int32_t found = -1;
    for (std::int32_t port = 0; port < fabric.ports() && found < 0; ++port)
      if (fabric.sender(port) == nodes[i] && fabric.receiver(port) == nodes[i + 1]) found = port;
    if (found < 0) return {};
    path.push_back(found);
  }
  return path;
}

RoundTrip round_trip(const Fabric& fabric, std::span<const std::int32_t> path, std::int64_t payload) {
  std::int64_t nanoseconds = 0, slowest = 0;
  for (const std::int32_t port : path) {
    const Link& link = fabric.link_of(port);
    nanoseconds += 2 * link.delay.count() / 1000 + payload * 8 * 1'000'000'000 / link.bits_per_second;
    slowest = slowest == 0 ? link.bits_per_second : std::min(slowest, link.bits_per_second);
  }
  const double bytes = static_cast<double>(nanoseconds) * static_cast<double>(slowest) / 8e9;
  return {SimTime(nanoseconds * 1000), static_cast<std::int64_t>(bytes)};
}

// Hosts with like links to one switch are as far from everything: two of a kind stand for all.
static std::vector<std::int32_t> unlike_hosts(const Fabric& fabric) {
  std::vector<std::vector<std::int32_t>> ports(at(fabric.nodes()));
  for (std::int32_t port = 0; port < fabric.ports(); ++port)
    if (fabric.is_host(fabric.sender(port))) ports[at(fabric.sender(port))].push_back(port);
  std::map<std::tuple<std::int32_t, std::int64_t, SimTime>, int> seen;
  std::vector<std::int32_t> hosts;
  for (std::int32_t node = 0; node < fabric.nodes(); ++node) {
    if (!fabric.is_host(node)) continue;
    if (const auto& own = ports[at(node)]; own.size() == 1) {
      const Link& link = fabric.link_of(own.front());
      if (++seen[{fabric.receiver(own.front()), link.bits_per_second, link.delay}] > 2) continue;
    }
    hosts.push_back(node);
  }
  return hosts;
}

RoundTrip longest_round_trip(const Fabric& fabric, const Routes& routes, std::int64_t payload) {
  const std::vector<std::int32_t> hosts = unlike_hosts(fabric);
  RoundTrip worst;
  for (const std::int32_t from : hosts)
    for (const std::int32_t to : hosts) {
      if (from == to) continue;
      const auto path = path_of(fabric, routes, {from, to, 0, 0}, PathChoice::first);
      const RoundTrip one = round_trip(fabric, path, payload);
      worst.longest = std::max(worst.longest, one.longest);
      worst.bytes = std::max(worst.bytes, one.bytes);
    }
  return worst;
}

}  // namespace echo::packets
