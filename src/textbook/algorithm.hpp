// Textbook collective algorithms: plug-ins, one file each in algorithms/.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/collective.hpp"
#include "textbook/dimension.hpp"
#include "textbook/pattern.hpp"
#include "textbook/phases.hpp"

namespace echo::textbook {

// `bytes` as ops::CollectiveQuery::payload. Pieces have equal size, rounded up as if padded.
struct Call {
  ops::CollectiveKind kind{};
  std::int64_t bytes = 0;
};

struct Algorithm {
  ops::GenericAlgorithm id;  // and so its name
  const char* source;
  // Except for all-to-alls: over several dimensions, it enters each once, on all its links.
  bool neighbours_only;
  bool (*admits)(ops::CollectiveKind, DimensionKind, std::int32_t ranks);  // ranks >= 2
  // Contract, if it admits the call: after these steps every rank holds the result of the collective.
  // Broadcasts start at rank 0.
  void (*steps)(const Call&, std::int32_t ranks, std::vector<Step>& out);
};

[[nodiscard]] std::span<const Algorithm* const> algorithm_table();  // sorted by name

// Appends to `out`; `scratch` is overwritten.
void add_phases(const Algorithm&, const Call&, std::int32_t ranks, std::vector<Step>& scratch, Phases& out);
// Time of its phases one after the other, in closed form.
[[nodiscard]] Cost cost_of(const Algorithm&, const Call&, const Dimension&, std::vector<Step>& scratch);

// Whether all ranks send and receive the same amount: no root.
[[nodiscard]] bool shares_data_evenly(ops::CollectiveKind);

// A buffer of `bytes` in `pieces`.
[[nodiscard]] constexpr std::int64_t piece_of(std::int64_t bytes, std::int64_t pieces) {
  return (bytes + pieces - 1) / pieces;
}

// Pieces pipelined along a chain or a tree: of 64 KiB at least, 256 at most. The best number grows with the
// square root of the size; at 1 us and 50 GB/s the time is within 10 % of the best.
[[nodiscard]] std::int64_t pieces_in_flight(std::int64_t bytes);

// `pieces` of `bytes` go through `levels` stages of one pattern; each phase lists the busy ones.
void add_pipeline(Pattern, std::int32_t levels, std::int64_t pieces, std::int64_t bytes,
                  std::vector<Step>& out);

}  // namespace echo::textbook
