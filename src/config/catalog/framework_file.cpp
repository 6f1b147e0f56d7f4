// Frameworks and recipes.
// Problem: a recipe may set whatever a framework's file may choose, in the same words. Idea: one function
// reads the choices, into a framework that is new or into a copy of one that is known.
#include "config/catalog/framework_file.hpp"

#include <toml++/toml.h>

#include <algorithm>

#include "config/catalog/preset_files.hpp"
#include "config/catalog/recipe_reader.hpp"
#include "config/toml/did_you_mean.hpp"

namespace echo::config {
namespace {

using training::FrameworkSpec;

template <class Enum>
void choose(TableReader& file, std::string_view key, const std::vector<std::string>& names, Enum& value,
            Presence presence) {
  int code = static_cast<int>(value);
  file.choice(key, names, code, presence);
  value = static_cast<Enum>(code);
}

void parameters(TableReader& file, std::string_view key, Range range, std::int64_t& value,
                Presence presence) {
  double read = static_cast<double>(value);
  file.quantity(key, UnitKind::count, range, read, presence);
  value = std::llround(read);
}

SimTime duration(TableReader& file, std::string_view key, Presence presence = Presence::require) {
  double value = 0.0;
  file.quantity(key, UnitKind::duration, {0.0, 1e6}, value, presence);
  return from_seconds(value);
}

// What a framework leaves to its user, and a recipe may set. `must`: whether the keys that every framework
// decides have to be there.
void read_decisions(TableReader& file, FrameworkSpec& f, Presence must) {
  file.boolean("sequence_parallel", f.sequence_parallel, must);
  file.boolean("flash_attention", f.flash_attention, must);
  choose(file, "attention_kernel", {"native", "flash-2", "flash-1"}, f.attention_kernel, Presence::optional);
  std::int64_t native_from = f.native_attention_from;
  file.integer("native_attention_from", {0, 1000}, native_from, Presence::optional);
  f.native_attention_from = static_cast<std::int32_t>(native_from);
  file.boolean("repeats_native_attention", f.repeats_native_attention, Presence::optional);
  auto zero = static_cast<std::int64_t>(f.zero);
  file.integer("zero", {0, 3}, zero, must);
  f.zero = static_cast<training::ZeroStage>(zero);
  choose(file, "recompute", {"none", "selective", "full", "per_op"}, f.recompute, must);
  file.boolean("overlap_grad_reduce", f.overlap.grad_reduce, must);
  file.boolean("overlap_param_gather", f.overlap.param_gather, must);
  file.boolean("overlap_p2p", f.overlap.pipeline, must);
  file.boolean("overlap_tp", f.overlap.tensor, must);
  read_recipe(file, f.recipe, must);
  file.boolean("recompute_stops_early", f.recompute_stops_early, must);
  file.boolean("waits_for_input_gradients", f.waits_for_input_gradients, Presence::optional);
  if (file.boolean("keeps_gathered_inputs", f.keeps_gathered_inputs, must))
    f.gathers_inputs_again = !f.keeps_gathered_inputs;
  file.boolean("gathers_inputs_again", f.gathers_inputs_again, Presence::optional);
  file.boolean("balances_stages", f.balances_stages, Presence::optional);
  file.boolean("copies_attention_inputs", f.copies_attention_inputs, Presence::optional);
  file.boolean("splits_joint_projection", f.splits_joint_projection, Presence::optional);
  file.boolean("norms_in_fp32", f.norms_in_fp32, Presence::optional);
  file.boolean("recomputes_norms", f.recomputes_norms, Presence::optional);
  choose(file, "gradient_exchange", {"reduce_scatter", "all_reduce", "reduce"}, f.gradient_exchange,
         Presence::optional);
  choose(file, "weight_return", {"all_gather", "broadcast"}, f.weight_return, Presence::optional);
  file.boolean("samples_outermost", f.samples_outermost, Presence::optional);
  choose(file, "gradients", {"main_buffer", "accumulated", "partitioned"}, f.gradients, must);
  choose(file, "loss", {"vocab_parallel", "torch", "in_place", "gathered"}, f.loss, must);
  file.boolean("pads_vocabulary", f.pads_vocabulary, must);
  file.boolean("flat_shards", f.flat_shards, Presence::optional);
  parameters(file, "bucket_parameters", {1, 9e18}, f.bucket_parameters, must);
  parameters(file, "bucket_per_rank", {0, 9e18}, f.bucket_per_rank, Presence::optional);
}

void read_measured(TableReader& file, FrameworkSpec& f) {
  f.kernel_gap = duration(file, "kernel_gap");
  f.host_per_kernel = duration(file, "host_per_kernel");
  f.host_per_expert = duration(file, "host_per_expert");
  f.host_per_peer = duration(file, "host_per_peer");
  f.host_per_slice = duration(file, "host_per_slice", Presence::optional);
  f.host_per_step = duration(file, "host_per_step");
  f.host_measured = file.grade("host_per_kernel") != "assumed";
  double reserve = 0.0;
  file.quantity("reserve", UnitKind::bytes, not_negative, reserve);
  f.reserve = Bytes(static_cast<std::int64_t>(std::llround(reserve)));
  file.real("fragmentation", {0.0, 1.0}, f.fragmentation);
}

void read_choices_into(const toml::table& table, const std::string& what, FrameworkSpec& f,
                       Problems& problems) {
  TableReader reader(table, place_of(table), what, problems);
  read_decisions(reader, f, Presence::optional);
  reader.finish();
}

// Reports mistakes in a table of choices, and choices without a source.
void check_choices(const toml::table& table, const std::string& what, Problems& problems) {
  FrameworkSpec any;
  read_choices_into(table, what, any, problems);
  for (const Entry& entry : in_file_order(table)) {
    const std::string key(entry.key->str());
    const toml::table* const value = entry.node->as_table();
    const bool has_source =
        value != nullptr && value->contains("value") && !(*value)["source"].value_or(std::string()).empty();
    if (!has_source)
      problems.error(
          place_of(*entry.key), key + " in " + what + " has no source",
          "write " + key + " = { value = ..., source = \"repository, file, tag\", grade = \"vendor\" }");
  }
}

// The tables of [over], one for each framework.
void check_over(const toml::table& over, const std::string& what, Problems& problems) {
  for (const Entry& entry : in_file_order(over)) {
    const std::string key(entry.key->str());
    if (const toml::table* const one = entry.node->as_table())
      check_choices(*one, "over." + key + " of " + what, problems);
    else
      problems.error(place_of(*entry.node), "over." + key + " must be a table, not " + type_of(*entry.node),
                     "write [over." + key + "]");
  }
}

void read_names(TableReader& file, RecipeFile& recipe) {
  const toml::node* const node = file.node("frameworks", Presence::require);
  if (node == nullptr) return;
  const toml::array* const list = node->as_array();
  if (list == nullptr || list->empty())
    return file.problems().error(place_of(*node), "frameworks must list those that the recipe is for",
                                 "write frameworks = [\"megatron-core\"]");
  for (const toml::node& one : *list) {
    if (const auto* const name = one.as_string())
      recipe.frameworks.emplace_back(name->get(), place_of(one));
    else
      file.wrong_type(one, "a framework", "a string");
  }
}

}  // namespace

FrameworkSpec read_framework(TableReader& file) {
  FrameworkSpec framework;
  read_head(file, framework.name, framework.source);
  read_decisions(file, framework, Presence::require);
  read_measured(file, framework);
  file.finish();
  return framework;
}

RecipeFile read_recipe_file(TableReader& file) {
  RecipeFile recipe;
  read_head(file, recipe.spec.name, recipe.spec.source);
  if (recipe.spec.name == training::no_recipe)
    file.problems().error(file.place(), "no recipe may have the name \"none\"",
                          "none stands for a framework without a recipe; rename it");
  read_names(file, recipe);
  const std::string what = "recipe \"" + recipe.spec.name + "\"";
  if (const toml::table* const choices = file.table("choices", Presence::optional)) {
    check_choices(*choices, "choices of " + what, file.problems());
    recipe.choices = *choices;
  }
  if (const toml::table* const over = file.table("over", Presence::optional)) {
    check_over(*over, what, file.problems());
    for (const Entry& entry : in_file_order(*over))
      recipe.over_frameworks.emplace_back(entry.key->str(), place_of(*entry.key));
    recipe.over = *over;
  }
  if (recipe.choices.empty() && recipe.over.empty())
    file.problems().error(file.place(), what + " chooses nothing", "add [choices]");
  file.finish();
  return recipe;
}

training::RecipePreset lay_over(const RecipeFile& recipe, const std::vector<FrameworkSpec>& frameworks,
                                Problems& problems) {
  std::vector<std::string> known;
  for (const FrameworkSpec& framework : frameworks) known.push_back(framework.name);
  const auto check = [&](const std::string& name, const Place& place) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      problems.error(place, "unknown framework \"" + name + "\" in recipe \"" + recipe.spec.name + "\"",
                     suggest(name, known, "known"));
  };
  for (const auto& [name, place] : recipe.frameworks) check(name, place);
  for (const auto& [name, place] : recipe.over_frameworks) check(name, place);
  training::RecipePreset out = recipe.spec;
  for (const FrameworkSpec& framework : frameworks) {
    FrameworkSpec& laid = out.over.emplace_back();
    const auto line = training::line_of(framework, frameworks);
    const bool is_for = std::any_of(line.begin(), line.end(), [&](const FrameworkSpec* one) {
      return std::any_of(recipe.frameworks.begin(), recipe.frameworks.end(),
                         [&](const auto& listed) { return listed.first == one->name; });
    });
    if (!is_for) continue;
    laid = framework;
    laid.recipe_name = recipe.spec.name;
    Problems told;  // when the file was read
    read_choices_into(recipe.choices, "choices", laid, told);
    for (const FrameworkSpec* const one : line)
      if (const toml::table* const own = recipe.over[one->name].as_table())
        read_choices_into(*own, "over", laid, told);
  }
  return out;
}

}  // namespace echo::config
