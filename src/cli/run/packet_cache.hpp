// Where the answers of the packet simulator are kept between runs.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "simulate/prices/packet_memory.hpp"

namespace echo::cli {

// The folder that [simulate] packet_cache names, `chosen`, or packet-answers beside the result file; nothing
// is kept where no packets are simulated, or with "off".
class PacketCache {
 public:
  PacketCache(const std::filesystem::path& result_file, const std::string& chosen, const simulate::Catalog&,
              const simulate::Calibration&);
  // Clusters by hashes of the program and of what they are but for NICs and switches. Contract: the cache
  // outlives its use.
  [[nodiscard]] const simulate::PacketMemory& memory() const { return memory_; }

 private:
  std::unique_ptr<simulate::PacketAnswers> answers_;
  simulate::PacketMemory memory_;
};

}  // namespace echo::cli
