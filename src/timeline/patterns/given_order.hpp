// A user-defined order of tasks for one pipeline shape.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "timeline/schedule.hpp"

namespace echo::timeline {

enum class Placement : std::int8_t { round_robin, v };

struct GivenOrder {
  std::string name;  // its name in the sweep, and a digest of the rest
  Placement placement = Placement::round_robin;
  bool splits_backward = false;
  std::int32_t stages = 1, chunks_per_stage = 1, microbatches = 1;
  Csr<Task> tasks;                 // [stages]
  std::vector<std::int32_t> held;  // [stages] maximum number of activations at once
  friend bool operator==(const GivenOrder&, const GivenOrder&) = default;
};

// The chunk that is the n-th of a stage.
[[nodiscard]] ChunkId chunk_on(const GivenOrder&, std::int32_t stage, std::int32_t n);

// A violation in an order, and its stage and task; a task past the last one: the stage as a whole.
struct OrderFlaw {
  std::int32_t stage = 0, position = 0;
  std::string what, remedy;
  friend bool operator==(const OrderFlaw&, const OrderFlaw&) = default;
};
// The first violation found: every task must occur once, none before its input, without deadlock. Contract:
// every task has a chunk of its stage.
[[nodiscard]] std::optional<OrderFlaw> flaw_of(const GivenOrder&);

// Counts `held`. Contract: no flaw.
void count_held(GivenOrder&);

// A task in the file's notation: "F3", or "F3.1" for the stage's chunk 1.
[[nodiscard]] std::string spell(const GivenOrder&, const Task&);

// A schedule that admits only this shape; refers to the order.
[[nodiscard]] Schedule schedule_of(const GivenOrder&);
[[nodiscard]] std::span<const ShapeRule> given_order_rules();  // those of every such schedule

}  // namespace echo::timeline
