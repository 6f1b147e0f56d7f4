#include "config/catalog/recipe_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace echo::config {
namespace {

using training::Choice;
using training::ChoiceKind;
using Presence = TableReader::Presence;

// The options without a default, which every framework file must set.
constexpr std::array<std::string_view, 6> decided{"kernels",        "kernels_rms_rope",
                                                  "kernels_loss",   "scatter_gather",
                                                  "fp32_gradients", "fused_grad_accumulation"};

std::optional<std::int32_t> read(TableReader& file, const Choice& choice, Presence presence) {
  switch (choice.kind) {
    case ChoiceKind::flag: {
      bool value = false;
      if (file.boolean(choice.name, value, presence)) return value ? 1 : 0;
      break;
    }
    case ChoiceKind::count: {
      std::int64_t value = 0;
      if (file.integer(choice.name, {0.0, static_cast<double>(choice.highest)}, value, presence))
        return static_cast<std::int32_t>(value);
      break;
    }
    case ChoiceKind::word: {
      int value = 0;
      if (file.choice(choice.name, {choice.words.begin(), choice.words.end()}, value, presence)) return value;
      break;
    }
    case ChoiceKind::words: {
      std::string text;
      if (!file.text(choice.name, text, presence)) break;
      if (const auto bits = training::bits_of(choice, text)) return bits;
      file.problems().error(place_of(*file.node(choice.name, presence)),
                            "\"" + text + "\" is not a list of " + std::string(choice.name),
                            "join names with +, as in \"core_attn+mlp\"");
      break;
    }
    case ChoiceKind::permille: {
      double value = 0.0;
      if (file.real(choice.name, {0.0, choice.highest / 1000.0}, value, presence))
        return static_cast<std::int32_t>(std::lround(value * 1000.0));
      break;
    }
  }
  return std::nullopt;
}

}  // namespace

void read_recipe(TableReader& file, training::Recipe& recipe) {
  for (const Choice& choice : training::recipe_choices()) {
    const bool must = std::find(decided.begin(), decided.end(), choice.name) != decided.end();
    if (const auto value = read(file, choice, must ? Presence::require : Presence::optional))
      choice.set(recipe, *value);
  }
}

}  // namespace echo::config
