#include "apps/sweep_inputs.hpp"

#include <cstddef>
#include <span>
#include <utility>

#include "apps/build_facts.hpp"
#include "base/digest.hpp"
#include "parallel/broadcast.hpp"
#include "parallel/shared_table.hpp"
#include "simulate/serialize.hpp"
#include "sweep/serialize.hpp"

namespace echo::apps {

WorkerInputs share_inputs(const parallel::Session& session, config::SweepInputs&& read) {
  WorkerInputs inputs{std::move(read.spec), std::move(read.catalog), std::move(read.calibration)};
  parallel::broadcast(session, inputs.spec);
  parallel::broadcast(session, inputs.catalog);
  const parallel::SharedTable table(session,
                                    session.is_first() ? parallel::to_archive(inputs.calibration) : "");
  const auto bytes = table.bytes();
  std::string archive(bytes.size(), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) archive[i] = static_cast<char>(bytes[i]);
  parallel::from_archive(archive, inputs.calibration);
  return inputs;
}

std::string sweep_key(const WorkerInputs& inputs, std::int64_t points) {
  const BuildFacts facts = build_facts();
  Digest digest;
  const auto add = [&digest](const std::string& text) { digest.add(std::as_bytes(std::span(text))); };
  add(facts.version + "/" + facts.schema_version + "/" + std::to_string(points) + "/");
  add(parallel::to_archive(inputs.spec));
  add(parallel::to_archive(inputs.catalog));
  add(parallel::to_archive(inputs.calibration));
  return digest.hex();
}

}  // namespace echo::apps
