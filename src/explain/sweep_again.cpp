#include "explain/sweep_again.hpp"

#include "base/error.hpp"
#include "explain/profile_inputs.hpp"

namespace echo::explain {

SweepAgain sweep_again(const results::ResultFile& file, const std::vector<std::string>& preset_paths,
                       const std::vector<std::string>& sets) {
  const results::Provenance provenance = results::read_provenance(file.file());
  const std::string path = provenance.inputs.empty() ? "" : provenance.inputs.front().path;
  SweepAgain again{config::read_sweep_again(provenance.resolved_toml, path, preset_paths, sets), nullptr};
  std::string problem;
  again.measured = std::make_unique<const std::string>(
      profiles_again(provenance.inputs, again.inputs.catalog, again.inputs.calibration, problem));
  if (!problem.empty()) throw UserError(problem, "run the sweep again");
  price_by(*again.measured, again.inputs);
  return again;
}

}  // namespace echo::explain
