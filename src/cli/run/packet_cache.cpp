#include "cli/run/packet_cache.hpp"

#include <span>
#include <string>

#include "parallel/answers/answer_folder.hpp"
#include "parallel/broadcast.hpp"
#include "simulate/serialize.hpp"

namespace echo::cli {

PacketCache::PacketCache(const parallel::LaunchRequest& request, const WorkerInputs& inputs) {
  const sweep::SweepSpec& spec = inputs.spec;
  if (spec.contention != simulate::Contention::packet || spec.packet_cache == "off") return;
  const std::filesystem::path folder = spec.packet_cache.empty()
                                           ? parallel::folder_of(request.file) / "packet-answers"
                                           : std::filesystem::path(spec.packet_cache);
  answers_ = std::make_unique<parallel::AnswerFolder>(folder, request.header.code_key);
  memory_.answers = answers_.get();
  for (const machine::ClusterSpec& cluster : inputs.catalog.clusters) {
    const std::string text = request.header.code_key + parallel::to_archive(cluster);
    memory_.clusters.push_back(hash128(std::as_bytes(std::span(text))));
  }
}

}  // namespace echo::cli
