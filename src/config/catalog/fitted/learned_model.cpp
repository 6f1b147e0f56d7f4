#include "config/catalog/fitted/learned_model.hpp"

#include <fmt/format.h>

#include "config/toml/read_file.hpp"
#include "slowdown/learned_view.hpp"
#include "slowdown/model_file.hpp"

namespace echo::config {

namespace {

constexpr const char* this_model = "this model";

const slowdown::HeldOutError* own_error(const slowdown::Evidence& evidence, const std::string& folds) {
  for (const slowdown::HeldOutError& error : evidence.errors)
    if (error.of == this_model && error.folds == folds) return &error;
  return nullptr;
}

void weigh_evidence(const slowdown::LearnedModel& model, const Place& place, Problems& problems) {
  constexpr const char* remedy =
      "it is used anyway; [simulate] slowdown = \"auto\" uses the catalog's instead";
  bool is_judged = false;
  for (const slowdown::HeldOutError& baseline : model.evidence.errors) {
    const auto* own = own_error(model.evidence, baseline.folds);
    if (own == nullptr || own == &baseline || baseline.of == this_model) continue;
    is_judged = true;
    if (own->mean < baseline.mean) continue;
    problems.warning(
        place,
        fmt::format("the slowdown model \"{}\" does not beat \"{}\" on rows it was not trained on "
                    "({}: {:.1f} % against {:.1f} %)",
                    model.name, baseline.of, baseline.folds, 100.0 * own->mean, 100.0 * baseline.mean),
        remedy);
  }
  if (!is_judged)
    problems.warning(place,
                     "the slowdown model \"" + model.name + "\" does not compare its errors with a baseline",
                     remedy);
}

}  // namespace

std::optional<LearnedInput> read_learned_model(const std::string& path, const Place& place,
                                               Problems& problems) {
  const auto bytes = read_whole_file(path);
  if (!bytes) {
    problems.error(place, "the slowdown model \"" + path + "\" cannot be read",
                   "check the path and its permissions");
    return std::nullopt;
  }
  try {
    const slowdown::LearnedModel model = slowdown::model_from_bytes(*bytes, path);
    if (model.features != slowdown::FeatureSet::simulator) {
      problems.error(place,
                     "the slowdown model \"" + model.name +
                         "\" needs metrics measured by profilers, which a sweep does not have",
                     "train one with echo-sweep slowdown train --features simulator");
      return std::nullopt;
    }
    weigh_evidence(model, place, problems);
    return LearnedInput{slowdown::make_image(model), fingerprint(*bytes)};
  } catch (const UserError& error) {
    for (const Problem& problem : error.problems()) problems.error(place, problem.what, problem.remedy);
    return std::nullopt;
  }
}

}  // namespace echo::config
