// A collective as a sequence of phases of transfers between its members.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/at.hpp"

namespace echo::textbook {

// A transfer between two members of one group, given by their index in it.
struct Transfer {
  std::int32_t from = 0, to = 0;
  std::int64_t bytes = 0;
  friend bool operator==(const Transfer&, const Transfer&) = default;
};

// Transfers that start together; the next phase starts when the last of them has arrived. `repeat` identical
// phases follow each other (the steps of a ring).
struct Phase {
  std::int32_t first = 0, count = 0;  // in Phases::transfers
  std::int64_t repeat = 1;
  friend bool operator==(const Phase&, const Phase&) = default;
};

struct Phases {
  std::vector<Transfer> transfers;
  std::vector<Phase> phases;

  void clear() { transfers.clear(), phases.clear(); }
  // Closes a phase over the transfers added since the last one.
  void close(std::int64_t repeat = 1) {
    const std::int32_t first = phases.empty() ? 0 : phases.back().first + phases.back().count;
    phases.push_back({first, static_cast<std::int32_t>(transfers.size()) - first, repeat});
  }
  [[nodiscard]] std::span<const Transfer> of(const Phase& p) const {
    return std::span(transfers).subspan(at(p.first), static_cast<std::size_t>(p.count));
  }
};

}  // namespace echo::textbook
