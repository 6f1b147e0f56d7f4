// Routes of many flows.
//
// A flow that packets spread over a fat tree uses hundreds of links, of which all but the first and the last
// few are those of every flow between the same two switches. Such stretches are kept once.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/csr.hpp"
#include "network/link_use.hpp"

namespace echo::network {

// What one flow uses, in the order of its route.
struct FlowUses {
  std::array<std::span<const LinkUse>, 3> parts;

  template <class See>
  void for_each(See see) const {
    for (const auto& part : parts)
      for (const LinkUse& use : part) see(use);
  }
  [[nodiscard]] bool empty() const { return parts[0].empty() && parts[1].empty() && parts[2].empty(); }
};

// What the flows of these routes use. The routes must outlive the answer.
[[nodiscard]] std::vector<FlowUses> uses_of(const Csr<LinkUse>& routes);

class FlowRoutes {
 public:
  // For so many flows, so that adding them moves little.
  void reserve(std::size_t flows);
  void add(std::span<const LinkUse> route);
  [[nodiscard]] std::int32_t size() const { return own_.rows(); }
  // Valid until the next add().
  [[nodiscard]] FlowUses of(std::int32_t flow) const;

 private:
  struct Middle {
    std::int32_t shared = -1;  // row of shared_, -1: none
    std::int32_t after = 0;    // how many of its own links come before
  };
  [[nodiscard]] std::int32_t shared_row(std::span<const LinkUse> stretch);
  Csr<LinkUse> own_, shared_;
  std::vector<Middle> middle_;                                    // [flow]
  std::unordered_multimap<std::uint64_t, std::int32_t> by_hash_;  // rows of shared_; look-up only
};

}  // namespace echo::network
