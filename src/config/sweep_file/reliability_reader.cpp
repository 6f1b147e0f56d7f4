#include "config/sweep_file/reliability_reader.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cmath>

#include "config/toml/did_you_mean.hpp"

namespace echo::config {
namespace {

using campaign::CheckpointMode;
using campaign::Reliability;

void fill_up(const toml::table& table, const std::vector<ReliabilityFile>& presets, Problems& problems,
             Reliability& out) {
  if (out.preset.empty()) return;
  const auto found = std::ranges::find(presets, out.preset, &ReliabilityFile::name);
  if (found != presets.end()) {
    out = campaign::filled_up(out, found->spec);
    return;
  }
  std::vector<std::string> names;
  for (const ReliabilityFile& one : presets) names.push_back(one.name);
  problems.error(place_of(*table.get("preset")), "unknown reliability preset \"" + out.preset + "\"",
                 suggest(out.preset, names, "echo-sweep presets list reliability"));
}

// What no default stands in for.
void require_values(const Place& place, const Reliability& r, Problems& problems) {
  if (!r.is_given())
    problems.error(place, "[reliability] does not say how often machines fail",
                   "add preset = \"llama3-h100\", or gpu_mtbf, node_mtbf or job_mtbf = \"50000 h\"");
  if (r.detection < 0.0)
    problems.error(place, "[reliability] does not say how long a failure goes unnoticed",
                   "add detection = \"5 min\"");
  if (r.restart < 0.0)
    problems.error(place, "[reliability] does not say how long a restart takes", "add restart = \"10 min\"");
  if (r.write_bandwidth < 0.0 && r.node_write_bandwidth < 0.0 && r.write_time < 0.0)
    problems.error(place, "[reliability] does not say how fast a checkpoint is written",
                   "add checkpoint = { write_bandwidth = \"200 GB/s\" }, or write_time = \"40 s\"");
}

// With one GPU on one node already. Restarts begin again where another failure comes: each takes
// e^(downtime / MTBF) of its attempts in the mean.
void check_progress(const Place& place, const Reliability& r, Problems& problems) {
  const double between = std::max({r.gpu_mtbf, r.node_mtbf, r.job_mtbf});
  const double most_attempts = 1e6;
  if (r.detection + r.restart <= between * std::log(most_attempts)) return;
  problems.error(place,
                 "failures come so often that no job restarts: detection and restart take " +
                     std::to_string(std::llround((r.detection + r.restart) / between)) +
                     " times the mean time between failures",
                 "check their units; the time between failures of a GPU is thousands of hours");
}

}  // namespace

void read_reliability_section(TableReader& root, const std::vector<ReliabilityFile>& presets,
                              Reliability& out) {
  const toml::table* const table = root.table("reliability", Presence::optional);
  if (table == nullptr) return;
  Problems& problems = root.problems();
  const int before = problems.errors();
  read_reliability(*table, "[reliability]", problems, out);
  fill_up(*table, presets, problems, out);
  if (problems.errors() > before) return;
  if (out.every < 0.0) out.every = 0.0;
  require_values(place_of(*table), out, problems);
  if (out.mode == CheckpointMode::blocking) out.stall = -1.0;
  if (problems.errors() == before) check_progress(place_of(*table), out, problems);
}

}  // namespace echo::config
