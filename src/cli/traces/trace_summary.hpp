// Counts of the contents of a trace.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace echo::cli {

inline constexpr std::size_t node_kinds = trace::node_kind_names.size(), passes = trace::pass_names.size();

struct TraceSummary {
  struct Rank {
    std::int32_t rank = 0;
    std::int64_t stands_for = 1, ops = 0, untimed = 0, streams = 0;
    SimTime compute{}, communication{};  // busy, added up over streams
    SimTime alone{};                     // end of its last op if it waits for no other rank
  };
  struct Group {
    std::int32_t index = 0;  // of Trace::groups
    std::int32_t nodes = 1;  // with eight ranks per node
    std::int64_t ops = 0;    // collectives over it, of all traced ranks
    Bytes bytes;
  };
  struct Family {  // kernels of one kind
    std::string name;
    std::int64_t count = 0, untimed = 0;
    double flops = 0.0;
    SimTime time{};
  };
  struct Collective {
    std::string kind, role;
    std::int32_t ranks = 1;  // of its group; 0: no group is named
    std::int64_t count = 0, untimed = 0;
    Bytes bytes;
    SimTime time{};
  };
  std::vector<Rank> ranks;
  std::vector<Group> groups;
  std::vector<Family> families;                                    // largest time first, then count
  std::vector<Collective> collectives;                             // same order
  std::array<std::array<std::int64_t, passes>, node_kinds> ops{};  // by kind and pass
  std::int64_t compute_ops = 0, known_ops = 0;                     // known: ops with a known shape
  SimTime compute_time{}, known_time{};
  SimTime step{};  // the longest Rank::alone; zero where nothing is timed

  // Share of compute time, or of compute ops if none is timed.
  [[nodiscard]] double known_share() const;
};

[[nodiscard]] TraceSummary summarise(const trace::Trace&);

// The axes of the recorded job that can be varied, and why the others cannot.
struct SweepableAxis {
  std::string axis, verdict, why;
  friend bool operator==(const SweepableAxis&, const SweepableAxis&) = default;
};
[[nodiscard]] std::vector<SweepableAxis> sweepable(const trace::Trace&, const TraceSummary&);

}  // namespace echo::cli
