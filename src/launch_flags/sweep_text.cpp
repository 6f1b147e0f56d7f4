#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/at.hpp"
#include "base/printable.hpp"
#include "launch_flags/write.hpp"
#include "sweep/space/config_id.hpp"

namespace echo::launch_flags {

namespace {

using sweep::Axis;

// Whatever bytes a launch file holds: what is written is text.
std::string quoted(const std::string& text) { return nlohmann::json(printable(text)).dump(); }
std::string commented(const std::string& text) { return printable(one_line(text)); }

std::string toml_value(const ChosenAxis& chosen) {
  using sweep::AxisKind;
  switch (sweep::info_of(chosen.axis).kind) {
    case AxisKind::flag:
    case AxisKind::ratio:
    case AxisKind::count:
    case AxisKind::level:
    case AxisKind::batch:
      return chosen.text;
    case AxisKind::layer_list: {
      if (chosen.text == "even") return quoted(chosen.text);
      std::string list = chosen.text;
      for (std::size_t dash = list.find('-'); dash != std::string::npos; dash = list.find('-', dash + 2))
        list.replace(dash, 1, ", ");
      return "[" + list + "]";
    }
    default:  // by itself, "auto" means legal values
      return chosen.text == "auto" ? "[\"auto\"]" : quoted(chosen.text);
  }
}

// The values to which a space around a point widens an axis; the point's own is among them.
std::string widened(const ChosenAxis& chosen, const training::TrainingConfig& config,
                    const simulate::Catalog& catalog) {
  switch (chosen.axis) {
    case Axis::tp:
    case Axis::pp:
    case Axis::micro_batch:
      return "\"auto\"";
    case Axis::ep:
      return catalog.model(config.model).has_experts() ? "\"auto\"" : "";
    case Axis::cp:
      return chosen.text == "1" ? "" : "\"auto\"";
    case Axis::vpp:
      return chosen.text == "1" ? "" : "\"auto\"";
    case Axis::recompute:
      return chosen.text == "none" || chosen.text == "full"
                 ? "[\"none\", \"full\"]"
                 : fmt::format("[{}, \"none\", \"full\"]", quoted(chosen.text));
    case Axis::sequence_parallel:
      return "[true, false]";
    default:
      return "";
  }
}

std::string model_section(const training::ModelSpec& model) {
  std::string text =
      fmt::format("\n[models.{}]\nsource = {}\ngrade = \"assumed\"\n", model.name, quoted(model.source));
  std::map<std::string, std::string> tables;
  for (const auto& [name, value] : model_facts(model)) {
    const bool is_word = name == "norm" || name == "positions" || name == "layer_pattern";
    const std::string written = is_word ? quoted(value) : value;
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) {
      text += name + " = " + written + "\n";
    } else {
      const std::string table = name.substr(0, dot) == "latent" ? "latent_attention" : name.substr(0, dot);
      tables[table] += name.substr(dot + 1) + " = " + written + "\n";
    }
  }
  for (const auto& [table, lines] : tables)
    text += fmt::format("\n[models.{}.{}]\n{}", model.name, table, lines);
  return text;
}

std::string names_of(const std::vector<LeftOut>& settings) {
  std::string text;
  for (const LeftOut& one : settings) text += (text.empty() ? "" : " ") + one.setting.key;
  return text;
}

std::string place_text(const Place& place) {
  return place.line > 0 ? fmt::format("{}:{}:{}: ", place.file, place.line, place.column) : "";
}

}  // namespace

std::string sweep_text(const Imported& imported, const training::TrainingConfig& config,
                       const simulate::Catalog& catalog, const Table& table, const SweepText& request) {
  const Understood& understood = imported.understood;
  std::string text;
  const auto comment = [&](const std::string& line) { text += "# " + commented(line) + "\n"; };
  comment(fmt::format("{} as a sweep, read as {} {}.", request.file, table.title, table.version));
  for (const std::string& note : imported.notes) comment(note);
  for (const LeftOut& one : understood.not_simulated)
    comment(fmt::format("not simulated: {} {}: {}", one.setting.key, one.setting.value, one.why));
  for (const LeftOut& one : understood.unknown)
    comment(fmt::format("unknown: {} {}", one.setting.key, one.setting.value));
  if (!understood.ignored.empty())
    comment("ignored, as they change no step's time or memory: " + names_of(understood.ignored));
  const sweep::AxisSet idle = sweep::irrelevant_axes(config, catalog);
  text += "\n[space]\n";
  for (const ChosenAxis& chosen : imported.axes) {
    const bool is_idle = idle.test(at(chosen.axis)) && !request.widened;
    if (is_idle || (request.widened && (chosen.axis == Axis::dp || chosen.axis == Axis::layer_split)))
      continue;
    std::string value = request.widened ? widened(chosen, config, catalog) : "";
    if (value.empty()) value = toml_value(chosen);
    text += fmt::format("{} = {}{}\n", sweep::info_of(chosen.axis).name, value,
                        chosen.by.empty() ? "" : "  # " + commented(chosen.by));
  }
  const bool has_gpus =
      std::ranges::find(imported.axes, Axis::gpus, &ChosenAxis::axis) != imported.axes.end();
  if (request.widened && !has_gpus) text += fmt::format("gpus = {}\n", training::gpus_of(config.degrees));
  if (imported.model) text += model_section(*imported.model);
  return text;
}

std::vector<std::string> ledger_of(const Imported& imported, const Table& table) {
  const Understood& understood = imported.understood;
  std::vector<std::string> lines = imported.notes;
  for (const LeftOut& one : understood.not_simulated)
    lines.push_back(fmt::format("{}not simulated: {} {}: {}", place_text(one.setting.place), one.setting.key,
                                one.setting.value, one.why));
  for (const LeftOut& one : understood.unknown)
    lines.push_back(fmt::format("{}unknown to {} {}: {}", place_text(one.setting.place), table.title,
                                table.version, one.setting.key));
  lines.push_back(fmt::format("{} axes, {} settings that change no step, {} not simulated, {} unknown",
                              imported.axes.size(), understood.ignored.size(),
                              understood.not_simulated.size(), understood.unknown.size()));
  return lines;
}

}  // namespace echo::launch_flags
