// From settings to a point.
// Problem: frameworks say the same layout by different numbers (replicas, accumulation steps, layers of a
// chunk). Idea: the table gives facts; the axes follow from them in an order in which each needs only those
// before it: degrees, GPUs and replicas, batches, chunks, layers. What the command line gives replaces the
// fact of its name.
#include "launch_flags/import.hpp"

#include <fmt/ranges.h>

#include "launch_flags/derive.hpp"

namespace echo::launch_flags {

namespace {

void take_given(const ImportRequest& request, Understood& understood) {
  for (const ChosenAxis& given : request.given) {
    const std::string name(sweep::info_of(given.axis).name);
    understood.facts[name] = given.text;
    understood.said_by.erase(name);
  }
}

Place place_of(const Understood& understood, const std::string& fact, const std::string& file) {
  const auto found = understood.said_by.find(fact);
  return found == understood.said_by.end() ? Place{file, 0, 0, 1} : found->second.place;
}

void name_model(Imported& out, const simulate::Catalog& catalog, const ImportRequest& request,
                Problems& problems) {
  Facts& facts = out.understood.facts;
  if (facts.contains("model")) return;
  if (!request.vocab.empty()) facts.emplace("model.vocab", request.vocab);
  const Place place = place_of(out.understood, "model.hidden", request.file);
  const std::vector<std::string> alike = models_like(facts, catalog);
  DescribedModel described = model_of(facts);
  if (!alike.empty()) {
    facts["model"] = alike.front();
    if (alike.size() > 1)
      out.notes.push_back(
          fmt::format("the presets {} have the same shape: the first is taken", fmt::join(alike, ", ")));
    else if (!described.unknown.empty())
      out.notes.push_back("the vocabulary is that of the preset " + alike.front() +
                          ": the file leaves it open");
    return;
  }
  if (!described.unknown.empty())
    return problems.error(
        place, fmt::format("the model is not described: {} missing", fmt::join(described.unknown, ", ")),
        "add --set model=NAME (`echo-sweep presets list models` lists them), or --vocab N where the "
        "vocabulary alone is missing");
  described.spec.name = "imported";
  described.spec.source = "the flags of " + request.file;
  out.model = std::move(described.spec);
  facts["model"] = "imported";
}

void require(const Understood& understood, const std::string& fact, const std::string& what,
             const std::string& remedy, const ImportRequest& request, Problems& problems) {
  if (!understood.facts.contains(fact)) problems.error({request.file, 0, 0, 1}, what, remedy);
}

void require_all(const Understood& understood, const ImportRequest& request, Problems& problems) {
  require(understood, "cluster", "a launch file does not say on which cluster it runs",
          "add --cluster NAME; `echo-sweep presets list clusters` lists them", request, problems);
  if (!understood.facts.contains("dp"))
    require(understood, "gpus", "the number of GPUs is not said", "add --gpus N", request, problems);
  require(understood, "global_batch", "the global batch is not said", "add --set global_batch=N", request,
          problems);
}

}  // namespace

Imported import_settings(const Settings& settings, const Table& table, const simulate::Catalog& catalog,
                         const ImportRequest& request, Problems& problems) {
  Imported out{.axes = {}, .model = {}, .understood = facts_said(settings, table), .notes = {}};
  Understood& understood = out.understood;
  if (!understood.facts.contains("framework")) understood.facts["framework"] = table.framework;
  take_given(request, understood);
  name_model(out, catalog, request, problems);
  derive_axes(understood, out.model ? *out.model : model_named(understood.facts, catalog), request.file,
              problems);
  require_all(understood, request, problems);
  for (const sweep::AxisInfo& info : sweep::axis_table) {
    const std::string name(info.name);
    const auto found = understood.facts.find(name);
    if (found == understood.facts.end()) continue;
    const auto by = understood.said_by.find(name);
    ChosenAxis chosen{info.axis, found->second, by == understood.said_by.end() ? "" : by->second.key};
    const bool is_new_model = info.axis == sweep::Axis::model && out.model;
    if (is_new_model || is_value(chosen, catalog))
      out.axes.push_back(std::move(chosen));
    else
      problems.error(place_of(understood, name, request.file),
                     fmt::format("\"{}\" is no value of the axis {}", found->second, name),
                     "correct it, or give the axis by --set");
  }
  return out;
}

}  // namespace echo::launch_flags
