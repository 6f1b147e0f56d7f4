#include "explain/chosen_row.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/error.hpp"
#include "config/catalog/fitted/site_file.hpp"
#include "config/sweep_file/packet_keys.hpp"
#include "config/sweep_file/what_if_reader.hpp"
#include "config/sweep_file/workload_reader.hpp"
#include "explain/config_of_row.hpp"
#include "explain/profile_inputs.hpp"
#include "explain/row_settings.hpp"
#include "explain/slowdown_input.hpp"

namespace echo::explain {

std::int64_t find_row(const results::ResultRows& rows, const std::string& id) {
  constexpr std::size_t longest_row_number = 7;
  std::int64_t number = -1;
  const auto [end, problem] = std::from_chars(id.data(), id.data() + id.size(), number);
  const bool is_number = problem == std::errc() && end == id.data() + id.size();
  if (is_number && id.size() <= longest_row_number && number < rows.rows() && number >= 0) return number;
  std::string low = id;
  std::transform(low.begin(), low.end(), low.begin(), [](unsigned char c) { return std::tolower(c); });
  if (const auto row = rows.row_of(low)) return *row;
  throw UserError("no row, or more than one, has the id \"" + id + "\"",
                  "give 16 hex digits of config_id, enough of them to be unique, or a row number below " +
                      std::to_string(rows.rows()));
}

// The file's trace among its inputs; null where its rows replay none.
static const results::InputFile* trace_of(const results::Provenance& provenance) {
  const auto found = std::ranges::find_if(
      provenance.inputs, [](const results::InputFile& input) { return input.name.starts_with(trace_mark); });
  return found == provenance.inputs.end() ? nullptr : &*found;
}

// The calibration by the file's settings, with the learned model and the profiles of the file's inputs.
static void calibrate_again(const results::Provenance& provenance, const sweep::SweepSpec& settings,
                            ConfigAgain& again) {
  simulate::Calibration& calibration = again.known.calibration;
  calibration.contention = settings.contention;
  const config::PacketKeys packets = config::packet_keys_again(provenance.resolved_toml);
  calibration.packet_budget = packets.budget;
  again.packet_cache = packets.cache;
  calibration.setting = settings.setting;
  if (settings.skew.draws > 0) calibration.production.gpu_spread.value = settings.skew.sigma;
  const bool is_slowed = settings.slowdown != sweep::SlowdownModel::off;
  if (!is_slowed) calibration.slowdown = slowdown::NoSlowdown{};
  again.learned = std::make_unique<const std::string>(learned_again(provenance.inputs, again.problem));
  if (!again.learned->empty() && is_slowed)
    calibration.learned = slowdown::LearnedView(std::as_bytes(std::span(*again.learned)));
  again.measured = std::make_unique<const std::string>(
      profiles_again(provenance.inputs, again.known.catalog, calibration, again.problem));
  calibration.measured = kernels::Database(std::as_bytes(std::span(*again.measured)));
}

ConfigAgain config_again(const results::ResultFile& file, const results::Table& table,
                         const std::vector<std::string>& preset_paths) {
  constexpr std::int64_t row = 0;
  ConfigAgain again;
  try {
    const results::Provenance provenance = results::read_provenance(file.file());
    again.known = config::read_presets(preset_paths, provenance.resolved_toml);
    config::apply_what_ifs_again(provenance.resolved_toml, again.known.catalog, again.known.calibration);
    const results::InputFile* trace = trace_of(provenance);
    const sweep::SweepSpec settings =
        settings_again(file.state().settings, trace == nullptr ? "" : trace->path, provenance.resolved_toml,
                       table, again.problem);
    if (trace != nullptr && again.problem.empty())
      again.problem = config::read_workload_again(settings.workload, trace->hash, again.known);
    if (!again.problem.empty()) return again;
    again.config = config_of_row(table, row, results::read_layer_tables(file.file()), again.known.catalog,
                                 again.problem);
    calibrate_again(provenance, settings, again);
  } catch (const UserError& error) {
    again.problem = error.what();
  }
  return again;
}

}  // namespace echo::explain
