// Textbook collectives: plug-ins, one file each in algorithms/.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/collective.hpp"
#include "textbook/dimension.hpp"
#include "textbook/pattern.hpp"
#include "textbook/phases.hpp"

namespace echo::textbook {

// `bytes` as ops::CollectiveQuery::payload. Pieces are of equal size, rounded up: as if padded.
struct Call {
  ops::CollectiveKind kind{};
  std::int64_t bytes = 0;
};

struct Algorithm {
  ops::GenericAlgorithm id;  // and so its name
  const char* source;
  // But for all-to-alls: laid over several dimensions, it enters each once, on all its links.
  bool neighbours_only;
  bool (*admits)(ops::CollectiveKind, DimensionKind, std::int32_t ranks);  // ranks >= 2
  // Contract, where it admits the call: after these steps every rank holds what the collective promises.
  // Broadcasts come from rank 0.
  void (*steps)(const Call&, std::int32_t ranks, std::vector<Step>& out);
};

[[nodiscard]] std::span<const Algorithm* const> algorithm_table();  // sorted by name

// Appends to `out`; `scratch` is overwritten.
void add_phases(const Algorithm&, const Call&, std::int32_t ranks, std::vector<Step>& scratch, Phases& out);
// In closed form: what its phases take one after the other.
[[nodiscard]] Cost cost_of(const Algorithm&, const Call&, const Dimension&, std::vector<Step>& scratch);

// Every rank sends and receives as much as every other: no root.
[[nodiscard]] bool shares_data_evenly(ops::CollectiveKind);

// A buffer of `bytes` in `pieces`.
[[nodiscard]] constexpr std::int64_t piece_of(std::int64_t bytes, std::int64_t pieces) {
  return (bytes + pieces - 1) / pieces;
}

// Pieces that follow each other along a chain or a tree: of 64 KiB at least, 256 at most. The best number
// goes with the square root of the size; at 1 us and 50 GB/s this is within 10 % of it in time.
[[nodiscard]] std::int64_t pieces_in_flight(std::int64_t bytes);

// `pieces` of `bytes` go through `levels` stages of one pattern; each phase says which of them are busy.
void add_pipeline(Pattern, std::int32_t levels, std::int64_t pieces, std::int64_t bytes,
                  std::vector<Step>& out);

}  // namespace echo::textbook
