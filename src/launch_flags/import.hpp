// A launch file as one point of a sweep.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/problems.hpp"
#include "launch_flags/translate.hpp"
#include "simulate/catalog.hpp"
#include "sweep/spec.hpp"

namespace echo::launch_flags {

// One axis with its value, and the setting that says it.
struct ChosenAxis {
  sweep::Axis axis{};
  std::string text;  // as facts write it; a layer split as "5-7"
  std::string by;    // "--tensor-model-parallel-size"; empty: a default of the framework, or the command line
};

struct ImportRequest {
  std::string file;               // for problems that have no place in it
  std::vector<ChosenAxis> given;  // from the command line; they win over the file
  std::string vocab;              // size of the vocabulary where the file leaves it open; empty: not known
};

struct Imported {
  std::vector<ChosenAxis> axes;              // in the order of axes.toml
  std::optional<training::ModelSpec> model;  // a shape that no preset has, named "imported"
  Understood understood;
  std::vector<std::string> notes;  // what was assumed
};

// Everything that is missing or wrong is a problem: no cluster, no number of GPUs, no global batch, a model
// that neither the file nor a preset describes whole.
[[nodiscard]] Imported import_settings(const Settings&, const Table&, const simulate::Catalog&,
                                       const ImportRequest&, Problems&);

// Whether the text is a value of its axis.
[[nodiscard]] bool is_value(const ChosenAxis&, const simulate::Catalog&);

// The point as a sweep, and the config it means. `catalog`: receives the model and the layer split of the
// point. UserError where it is no point, for instance where gpus is no multiple of tp * pp * cp.
[[nodiscard]] sweep::SweepSpec point_of(const Imported&, simulate::Catalog& catalog);
[[nodiscard]] training::TrainingConfig config_of(const Imported&, simulate::Catalog& catalog);

// Presets whose shape is that of the facts; fields that the facts leave open may be anything. Learned
// positions count, the length of other position tables does not.
[[nodiscard]] std::vector<std::string> models_like(const Facts&, const simulate::Catalog&);

}  // namespace echo::launch_flags
