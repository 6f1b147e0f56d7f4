// Reads [workload]: a trace that replaces the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/sweep_file/sweep_file.hpp"
#include "config/toml/toml_reader.hpp"
#include "sweep/axis.hpp"
#include "sweep/spec.hpp"

namespace echo::config {

// Reads the trace that inputs.spec.workload names into the catalog, represented by a model of its name,
// and fixes the axes that it determines: degrees, and tokens by a rule. Nothing without [workload].
// places: of the rules.
void read_workload(const toml::table& root, std::vector<Place>& places, SweepInputs& inputs, Problems&);

// The same for the rows of a result file, whose trace had this digest: why its steps cannot be simulated
// again, empty where they can.
[[nodiscard]] std::string read_workload_again(const sweep::TraceWorkload&, const std::string& digest,
                                              CatalogInputs& known);

// [workload] of a sweep as result files keep it, with its trace read at `trace`; nothing where it has none.
[[nodiscard]] std::optional<sweep::TraceWorkload> workload_in(const std::string& resolved_toml,
                                                              const std::string& trace);

// Why [space] must not contain this axis together with [workload]; nothing if it may.
struct AxisRefusal {
  std::string what, remedy;
};
[[nodiscard]] std::optional<AxisRefusal> why_not_of_trace(sweep::Axis);

}  // namespace echo::config
