#include "explain/chosen_row.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/error.hpp"
#include "config/sweep_file/workload_reader.hpp"
#include "explain/config_of_row.hpp"
#include "explain/profile_inputs.hpp"
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

ConfigAgain config_again(const results::ResultFile& file, const results::Table& table,
                         const std::vector<std::string>& preset_paths) {
  constexpr std::int64_t row = 0;
  ConfigAgain again;
  try {
    again.known = config::read_catalog(config::catalog_folders(preset_paths));
    const results::Provenance provenance = results::read_provenance(file.file());
    for (const results::InputFile& input : provenance.inputs) {
      if (!input.name.starts_with(trace_mark)) continue;
      again.problem =
          config::read_workload_again(provenance.resolved_toml, input.path, input.hash, again.known);
      if (!again.problem.empty()) return again;
    }
    again.config = config_of_row(table, row, results::read_layer_tables(file.file()), again.known.catalog,
                                 again.problem);
    // No tax: nothing slowed the step, or its sweep had slowdown off; the step is the same in both cases.
    const bool shares = table.find("step_time_no_contention") != nullptr;
    const bool is_untaxed = table.number(shares ? "step_time_no_contention" : "step_time", row) ==
                            table.number("step_time_no_slowdown", row);
    if (is_untaxed) again.known.calibration.slowdown = slowdown::NoSlowdown{};
    // The same holds for collectives that share links; contention = flow is a different price and must be
    // set.
    if (provenance.resolved_toml.find("contention = 'flow'") != std::string::npos ||
        provenance.resolved_toml.find("contention = \"flow\"") != std::string::npos) {
      again.known.calibration.contention = simulate::Contention::flow;
    } else if (table.find("step_time_no_contention") == nullptr ||
               table.number("step_time", row) == table.number("step_time_no_contention", row)) {
      again.known.calibration.contention = simulate::Contention::off;
    }
    again.learned = std::make_unique<const std::string>(learned_again(provenance.inputs, again.problem));
    if (!again.learned->empty() && !is_untaxed)
      again.known.calibration.learned = slowdown::LearnedView(std::as_bytes(std::span(*again.learned)));
    again.measured = std::make_unique<const std::string>(
        profiles_again(provenance.inputs, again.known.catalog, again.known.calibration, again.problem));
    again.known.calibration.measured = kernels::Database(std::as_bytes(std::span(*again.measured)));
  } catch (const UserError& error) {
    again.problem = error.what();
  }
  return again;
}

}  // namespace echo::explain
