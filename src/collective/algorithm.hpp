// Collective algorithm plug-ins: one file each in algorithms/.
#pragma once

#include <span>
#include <string_view>

#include "collective/communicator.hpp"
#include "collective/constants.hpp"
#include "collective/parted_time.hpp"
#include "ops/collective.hpp"

namespace echo::collective {

struct Call {
  ops::CollectiveKind kind{};
  std::int64_t bytes = 0;  // as ops::CollectiveQuery::payload
};

struct Cost {
  PartedTime time;
  double memory_bytes =
      0.0;  // through one GPU's HBM: reads of own data, incoming writes, reads, outgoing writes
};

// Contract, for ranks >= 2 and if `applies`: `time` is positive, grows with bytes, never grows with bandwidth
// at the same channels, and is never below the wire time. All times in us.
struct Algorithm {
  ops::NcclAlgorithm id;  // and so its name, and its place in the search
  const char* source;
  bool (*applies)(const Call&, const Communicator&, ops::Protocol);
  // NCCL's estimate for its choice; comparable only within one kind of call.
  double (*nccl_time)(const Call&, const Communicator&, ops::Protocol);
  std::int32_t (*channels)(const Call&, const Communicator&, ops::Protocol);  // CTAs
  Cost (*time)(const Call&, const Communicator&, ops::Protocol, const NetworkConstants&);
};

[[nodiscard]] std::span<const Algorithm* const> algorithm_table();  // sorted by name
// The algorithm of an estimate that NCCL's rules made. Precondition: it has one.
[[nodiscard]] const Algorithm& algorithm_of(const ops::CollectiveEstimate&);
// "ring"; the own name of a textbook collective; empty if nothing is sent.
[[nodiscard]] std::string_view name_of_algorithm(const ops::CollectiveEstimate&);

}  // namespace echo::collective
