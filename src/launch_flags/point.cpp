#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/at.hpp"
#include "base/named_table.hpp"
#include "launch_flags/import.hpp"
#include "sweep/language/vocabulary.hpp"
#include "sweep/space/design_space.hpp"
#include "training/version_number.hpp"

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

bool is_whole(const std::string& text, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc() && end == text.data() + text.size() && value >= low && value <= high;
}

bool is_split(const std::string& text) {
  if (text == "even") return true;
  constexpr std::size_t most_text = 1 << 16;
  return !text.empty() && text.size() < most_text &&
         text.find_first_not_of("0123456789-") == std::string::npos && text.find("--") == std::string::npos &&
         text.front() != '-' && text.back() != '-';
}

}  // namespace

bool is_value(const ChosenAxis& chosen, const simulate::Catalog& catalog) {
  using sweep::AxisKind;
  const sweep::AxisInfo& info = sweep::info_of(chosen.axis);
  constexpr std::int64_t most = 2147483647;
  const std::int64_t highest = info.highest > 0 ? info.highest : most;
  switch (info.kind) {
    case AxisKind::preset:
    case AxisKind::word: {
      const auto known = sweep::vocabulary_of(chosen.axis, catalog);
      return std::ranges::find(known, chosen.text) != known.end();
    }
    case AxisKind::words:
      return training::bits_of(training::member_of(chosen.axis).words, chosen.text).has_value();
    case AxisKind::flag:
      return chosen.text == "true" || chosen.text == "false";
    case AxisKind::version:
      return training::version_number(chosen.text).has_value();
    case AxisKind::layer_list:
      return is_split(chosen.text);
    case AxisKind::ratio: {
      double value = -1.0;
      const char* const end = chosen.text.data() + chosen.text.size();
      const auto [stop, failed] = std::from_chars(chosen.text.data(), end, value);
      return failed == std::errc() && stop == end && value >= 0.0 &&
             value * 1000.0 <= static_cast<double>(highest);
    }
    case AxisKind::level:
      return is_whole(chosen.text, 0, highest);
    default:
      return is_whole(chosen.text, 1, most);
  }
}

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
