#include "cli/run/packet_cache.hpp"

#include <span>
#include <string>

#include "parallel/answers/answer_folder.hpp"
#include "parallel/broadcast.hpp"
#include "simulate/serialize.hpp"

namespace echo::cli {

std::unique_ptr<simulate::PacketAnswers> packet_answers(const parallel::LaunchRequest& request,
                                                        const sweep::SweepSpec& spec) {
  if (spec.contention != simulate::Contention::packet || spec.packet_cache == "off") return nullptr;
  const std::filesystem::path folder = spec.packet_cache.empty()
                                           ? parallel::folder_of(request.file) / "packet-answers"
                                           : std::filesystem::path(spec.packet_cache);
  return std::make_unique<parallel::AnswerFolder>(folder, request.header.code_key);
}

std::vector<Hash128> packet_hashes(const parallel::LaunchRequest& request, const WorkerInputs& inputs) {
  std::vector<Hash128> hashes;
  for (const machine::ClusterSpec& cluster : inputs.catalog.clusters) {
    const std::string text = request.header.code_key + parallel::to_archive(cluster);
    hashes.push_back(hash128(std::as_bytes(std::span(text))));
  }
  return hashes;
}

}  // namespace echo::cli
