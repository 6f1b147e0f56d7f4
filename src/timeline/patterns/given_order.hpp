// An order of tasks that a user spells out, for one shape.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "timeline/schedule.hpp"

namespace echo::timeline {

enum class Placement : std::int8_t { round_robin, v };

struct GivenOrder {
  std::string name;  // what a sweep calls it, and a digest of the rest
  Placement placement = Placement::round_robin;
  bool splits_backward = false;
  std::int32_t stages = 1, chunks_per_stage = 1, microbatches = 1;
  Csr<Task> tasks;                 // [stages]
  std::vector<std::int32_t> held;  // [stages] most activations at once
  friend bool operator==(const GivenOrder&, const GivenOrder&) = default;
};

// The chunk that is the n-th of a stage.
[[nodiscard]] std::int32_t chunk_on(const GivenOrder&, std::int32_t stage, std::int32_t n);

// What is wrong with an order, at which task of which stage; a task past the last: the stage as a whole.
struct OrderFlaw {
  std::int32_t stage = 0, position = 0;
  std::string what, remedy;
  friend bool operator==(const OrderFlaw&, const OrderFlaw&) = default;
};
// Every task once, none before its input, no stages that wait for each other; the first flaw found. Contract:
// every task names a chunk of its stage.
[[nodiscard]] std::optional<OrderFlaw> flaw_of(const GivenOrder&);

// Counts `held`. Contract: no flaw.
void count_held(GivenOrder&);

// "F3", or "F3.1" of the stage's chunk 1: a task as the file spells it.
[[nodiscard]] std::string spell(const GivenOrder&, const Task&);

// A schedule that admits this one shape; refers to the order.
[[nodiscard]] Schedule schedule_of(const GivenOrder&);

}  // namespace echo::timeline
