// Source: remote_memory_backend/analytical/AnalyticalRemoteMemory.cc of ASTRA-sim, which has a request take
// latency + bytes / bandwidth, and requests to one memory follow each other.
#include <algorithm>
#include <array>

#include "launch_flags/readers/readers.hpp"
#include "machine_files/astra_machine.hpp"
#include "machine_files/setting_words.hpp"

namespace echo::machine_files {
namespace {

using launch_flags::Setting;
using launch_flags::Settings;
using machine::TierSharing;

struct MemoryType {
  std::string_view name;
  TierSharing shared_by;
};
constexpr std::array<MemoryType, 3> types{{{"PER_NPU_MEMORY_EXPANSION", TierSharing::gpu},
                                           {"PER_NODE_MEMORY_EXPANSION", TierSharing::node},
                                           {"MEMORY_POOL", TierSharing::job}}};
constexpr std::array<std::string_view, 5> keys{"memory-type", "remote-mem-latency", "remote-mem-bw",
                                               "num-nodes", "num-npus-per-node"};

double number(const Settings& settings, std::string_view key, double least, const std::string& file,
              Problems& problems) {
  const Setting* const one = find(settings, key);
  const auto value = one == nullptr ? std::optional(0.0) : number_of(one->value);
  if (value && *value >= least && *value <= 1e12) return *value;
  problems.error(one == nullptr ? Place{file, 1, 1, 1} : one->place,
                 one == nullptr ? "the memory has no " + std::string(key)
                                : "\"" + one->value + "\" is not a number of " + std::string(key),
                 "write GB/s of remote-mem-bw, and ns of remote-mem-latency");
  return least;
}

}  // namespace

void read_astra_memory(const std::string& text, const std::string& file, AstraMachine& out,
                       Problems& problems) {
  const int before = problems.errors();
  const Settings settings = launch_flags::read_json(text, file, problems);
  if (problems.errors() > before) return;
  const Setting* const type = find(settings, "memory-type");
  if (type == nullptr || type->value == "NO_MEMORY_EXPANSION") return;
  const auto* const found = std::ranges::find(types, type->value, &MemoryType::name);
  if (found == types.end()) {
    problems.error(type->place, "\"" + type->value + "\" is not a memory-type",
                   "write NO_MEMORY_EXPANSION, PER_NODE_MEMORY_EXPANSION, PER_NPU_MEMORY_EXPANSION or "
                   "MEMORY_POOL");
    return;
  }
  const BytesPerSecond rate(number(settings, "remote-mem-bw", 1e-6, file, problems) * 1e9);
  const double latency = number(settings, "remote-mem-latency", 0.0, file, problems);
  out.remote = {.read = rate,
                .write = rate,
                .latency = from_seconds(latency * 1e-9),
                .capacity = {},
                .shared_by = found->shared_by};
  if (const Setting* const node = find(settings, "num-npus-per-node"))
    out.notes.push_back("nodes of " + node->value +
                        " GPUs share a remote memory; a node here is gpus_per_node");
  for (const Setting& one : settings)
    if (std::ranges::find(keys, one.key) == keys.end())
      out.notes.push_back("\"" + one.key + "\" of the memory is not taken over");
}

}  // namespace echo::machine_files
