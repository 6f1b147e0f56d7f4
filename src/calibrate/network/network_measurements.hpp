// Measured collective times, read from the published tables that the network constants are fitted to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collective/constants_fit.hpp"

namespace echo::calibrate {

enum class Use : std::int8_t {
  fit,
  test_only
};  // test_only: a slower sibling, or more nodes than the fit saw

// One published log: where it is, what machine it ran on as far as stated, and what it is good for.
struct NetworkSource {
  const char* file;
  const char* gpu;      // as the table names it; "" = any
  const char* version;  // as the table names it; "" = any
  std::int32_t least_nodes, most_nodes;
  std::int64_t least_bytes;   // below, the harness (one process for all GPUs) or an old library is measured
  std::int32_t nccl_version;  // assumed where the log does not say
  double nic_gigabytes;       // GB/s of one NIC
  std::int32_t nics;          // per node; several per GPU count as one
  Use use;
  const char* note = "";  // a part of the table's note; "!" before it = none of those; "" = any
  std::int32_t most_ranks = 1 << 30;
};

// One set of constants: its hardware, its logs, and the set whose fit is its starting point and prior.
struct NetworkKind {
  const char* name;
  const char* prior;  // "" = the defaults of collective/constants.hpp
  const char* about;  // for the file's `source`
  std::int32_t compute_capability;
  double nvlink_gigabytes;  // data sheet, per GPU and direction
  machine::CpuVendor cpu;
  std::vector<NetworkSource> sources;
  collective::Guess guess = collective::Guess::other_gpu;  // what the prior is to this one
};
[[nodiscard]] std::span<const NetworkKind> network_kinds();  // priors first

struct NetworkMeasurement : collective::MeasuredCollective {
  Use use = Use::fit;
  double seconds_in_place = 0.0;  // 0 = not measured
};
[[nodiscard]] std::vector<collective::MeasuredCollective> rows_to_fit(std::span<const NetworkMeasurement>);

// All rows of `kind`. Throws UserError when `folder` (that of the tables) lacks a file.
[[nodiscard]] std::vector<NetworkMeasurement> read_network(const NetworkKind& kind,
                                                           const std::string& folder);

}  // namespace echo::calibrate
