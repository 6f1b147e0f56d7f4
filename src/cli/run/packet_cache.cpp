#include "cli/run/packet_cache.hpp"

#include <span>

#include "cli/run/sweep_inputs.hpp"
#include "parallel/answers/answer_folder.hpp"
#include "parallel/broadcast.hpp"
#include "parallel/platform/disk.hpp"
#include "simulate/serialize.hpp"

namespace echo::cli {

PacketCache::PacketCache(const std::filesystem::path& result_file, const std::string& chosen,
                         const simulate::Catalog& catalog, const simulate::Calibration& calibration) {
  if (calibration.contention != simulate::Contention::packet || chosen == "off") return;
  const std::filesystem::path folder =
      chosen.empty() ? parallel::folder_of(result_file) / "packet-answers" : std::filesystem::path(chosen);
  const std::string& program = fingerprint_of_program();
  answers_ = std::make_unique<parallel::AnswerFolder>(folder, program);
  memory_.answers = answers_.get();
  for (machine::ClusterSpec cluster : catalog.clusters) {
    cluster.nic = {}, cluster.network_switch = {};  // places in this catalog
    const std::string text = program + parallel::to_archive(cluster);
    memory_.clusters.push_back(hash128(std::as_bytes(std::span(text))));
  }
}

}  // namespace echo::cli
