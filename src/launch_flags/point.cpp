#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/at.hpp"
#include "base/named_table.hpp"
#include "launch_flags/import.hpp"
#include "sweep/space/design_space.hpp"

namespace echo::launch_flags {

namespace {

std::vector<std::int32_t> layers_in(const std::string& text) {
  std::vector<std::int32_t> layers;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('-', begin), text.size());
    std::int32_t count = 0;
    std::from_chars(text.data() + begin, text.data() + end, count);
    layers.push_back(count);
    begin = end + 1;
  }
  return layers;
}

std::int64_t number_in(const std::string& text, double scale) {
  double value = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::llround(value * scale);
}

sweep::AxisValue value_of(const ChosenAxis& chosen, simulate::Catalog& catalog) {
  using sweep::AxisKind;
  switch (sweep::info_of(chosen.axis).kind) {
    case AxisKind::preset:
    case AxisKind::word:
      return {0, chosen.text};
    case AxisKind::version:
      return {training::version_number(chosen.text).value_or(0), chosen.text};
    case AxisKind::words: {
      const auto bits = training::bits_of(training::member_of(chosen.axis).words, chosen.text);
      return {bits.value_or(0), chosen.text};
    }
    case AxisKind::flag:
      return {chosen.text == "true" ? 1 : 0, ""};
    case AxisKind::ratio:
      return {number_in(chosen.text, 1000.0), ""};
    case AxisKind::layer_list:
      if (chosen.text == "even") return {-1, ""};
      catalog.layer_tables.push_back(layers_in(chosen.text));
      return {std::ssize(catalog.layer_tables) - 1, ""};
    default:
      return {number_in(chosen.text, 1.0), ""};
  }
}

}  // namespace

sweep::SweepSpec point_of(const Imported& imported, simulate::Catalog& catalog) {
  if (imported.model && find_named(catalog.models, imported.model->name) < 0)
    catalog.models.push_back(*imported.model);
  sweep::SweepSpec spec;
  spec.name = "imported";
  for (const ChosenAxis& chosen : imported.axes)
    spec.dimensions.push_back({{sweep::AxisColumn{chosen.axis, {value_of(chosen, catalog)}}}});
  return spec;
}

training::TrainingConfig config_of(const Imported& imported, simulate::Catalog& catalog) {
  const sweep::SweepSpec spec = point_of(imported, catalog);
  const sweep::DesignSpace space(spec, catalog);
  if (space.size() != 1)
    throw UserError("the settings are no point of a sweep: the GPUs do not divide into tp * pp * cp",
                    "correct the degrees or the number of GPUs");
  return space.at(0);
}

}  // namespace echo::launch_flags
