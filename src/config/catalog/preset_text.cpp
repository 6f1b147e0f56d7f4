// Preset files as text.
// Problem: a template must list every key of a kind with its unit, and a list kept beside the reader would
// soon be wrong. Idea: let the reader read an empty table and record the keys that it requests.
#include "config/catalog/preset_text.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "config/catalog/framework_file.hpp"
#include "config/catalog/preset_files.hpp"
#include "config/sweep_file/sweep_keys.hpp"
#include "config/toml/did_you_mean.hpp"
#include "config/toml/toml_reader.hpp"
#include "machine/precision.hpp"

namespace echo::config {
namespace {

std::vector<AskedKey> keys_of(const std::string& kind) {
  const std::vector<std::string> kinds(preset_sections().begin(), preset_sections().end());
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    throw UserError("there is no template for \"" + kind + "\"", suggest(kind, kinds, "kinds"));
  const toml::table empty;
  Problems ignored;  // that everything is missing
  std::vector<AskedKey> asked;
  TableReader reader(empty, {}, kind, ignored);
  reader.note_keys(asked);
  if (kind == "gpus") (void)read_gpu(reader);
  if (kind == "models") (void)read_model(reader);
  if (kind == "clusters") (void)read_cluster(reader);
  if (kind == "frameworks") (void)read_framework(reader);
  if (kind == "recipes") (void)read_recipe_file(reader);
  if (kind == "memory_tiers") (void)read_tier_preset(reader);
  return asked;
}

// Explanations of keys that the reader treats as plain text.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> text_hints{
    {{"name", "the file's name"},
     {"source", "source of the numbers: a data sheet, a paper, a measurement"},
     {"gpu", "a preset: echo-sweep presets list gpus"},
     {"kernels", "kernel constants: echo-sweep presets list kernels"},
     {"network", "network constants: echo-sweep presets list networks"},
     {"nccl_version", "such as \"2.21.5\""}}};

void append(std::string& text, const AskedKey& key) {
  text += (key.required ? "" : "# ") + key.key + " = " + key.blank + "  # " + key.hint +
          (key.required ? "" : "; optional") + "\n";
}

std::string value_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* real = node.as_floating_point()) {  // the shortest digits that read back the same
    std::array<char, 32> buffer{};
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), real->get()).ptr};
  }
  std::ostringstream text;
  node.visit([&](const auto& value) { text << value; });
  return text.str();
}

void collect(const toml::table& table, const std::string& prefix, std::vector<PresetValue>& out) {
  for (const Entry& entry : in_file_order(table)) {
    const std::string key(entry.key->str());
    constexpr std::array<std::string_view, 5> about{"name", "source", "grade", "date", "fit"};
    if (prefix.empty() && std::ranges::find(about, key) != about.end()) continue;
    const toml::table* const inner = entry.node->as_table();
    if (inner == nullptr) {
      out.push_back({prefix + key, value_text(*entry.node)});
    } else if (const toml::node* value = inner->get("value")) {
      out.push_back({prefix + key, value_text(*value)});
    } else {
      collect(*inner, prefix + key + ".", out);
    }
  }
}

}  // namespace

std::string preset_template(const std::string& kind, const std::string& name) {
  std::string text =
      "# Save as " + kind + "/" + name +
      ".toml in a folder of presets (echo-sweep presets list names them).\n" +
      "# A value may give its source: { value = ..., source = \"...\", grade = \"vendor\" }.\n";
  for (AskedKey key : keys_of(kind)) {
    if (key.key == "name") key.blank = "\"" + name + "\"";
    if (key.key == "grade") key.blank = "\"assumed\"";
    for (const auto& [text_key, hint] : text_hints) {
      if (key.key == text_key && key.hint == "a text") key.hint = hint;
    }
    append(text, key);
  }
  if (kind == "gpus") {
    text += "\n[peak_dense]  # without sparsity; at least one of bf16 and fp16\n";
    for (const std::string_view precision : machine::precision_names) {
      append(text,
             {std::string(precision), "\"\"", example_of(UnitKind::flops_per_second), precision == "bf16"});
    }
  }
  if (kind == "recipes") {
    text +=
        "frameworks = [\"megatron-core\"]  # those that the recipe is for, with those based on them\n"
        "\n[choices]  # keys of framework files (echo-sweep presets new frameworks NAME), each with its "
        "source\n"
        "overlap_tp = { value = true, source = \"repository, file, tag\", grade = \"vendor\" }\n"
        "\n# [over.nemo]  # choices for one framework alone; they win over [choices]\n";
  }
  return text;
}

// Behind the closing quote of the text that starts at `quote`.
static std::size_t after_text(const std::string& line, std::size_t quote) {
  std::size_t end = quote + 1;
  while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
  return std::min(end + 1, line.size());
}

// `{ value = 3, error = 0.1, source = "...", grade = "..." }` without what it says of its source; blank where
// a source is required, as of the choices of a recipe.
static std::string without_citation(std::string line, bool is_required) {
  for (const auto& [key, blank] :
       {std::pair{", source = \"", ", source = \"\""}, std::pair{", grade = \"", ", grade = \"assumed\""}}) {
    const std::size_t at = line.find(key);
    if (at == std::string::npos) continue;
    line.replace(at, after_text(line, at + std::string(key).size() - 1) - at, is_required ? blank : "");
  }
  const std::string open = "{ value = ";
  const std::size_t start = line.find(open), end = line.rfind(" }");
  if (start == std::string::npos || end == std::string::npos) return line;
  const std::size_t value = start + open.size();
  const std::size_t past = line[value] == '"' ? after_text(line, value) : line.find_first_of(",}[", value);
  if (past == end || (past == end + 1 && line[value] != '"'))  // nothing else is left in it
    line = line.substr(0, start) + line.substr(value, end - value) + line.substr(end + 2);
  return line;
}

// Whether a line of the top table is `key = ...`.
static bool sets(const std::string& line, std::string_view key) {
  return line.starts_with(key) && line.find_first_not_of(' ', key.size()) == line.find('=', key.size());
}

std::string renamed_preset(const std::string& text, const std::string& old_name, const std::string& name) {
  std::string out =
      "# Values of " + old_name + ", whose sources `echo-sweep presets show " + old_name +
      "` prints. Change those that differ, and\n# say where yours come from; a value may give its "
      "own: { value = ..., source = \"...\", grade = \"vendor\" }.\n";
  std::istringstream lines(text);
  bool is_top = true, is_past_comment = false, is_recipe = false;
  for (std::string line; std::getline(lines, line);) {
    is_top = is_top && !line.starts_with('[');
    is_recipe = is_recipe || line.starts_with("[choices]") || line.starts_with("[over.");
    is_past_comment = is_past_comment || !line.starts_with('#');
    if (!is_past_comment) continue;  // what the donor says of itself
    if (is_top && sets(line, "name"))
      line = "name   = \"" + name + "\"";
    else if (is_top && sets(line, "source"))
      line = "source = \"\"  # source of the numbers: a data sheet, a paper, a measurement";
    else if (is_top && sets(line, "grade"))
      line = "grade  = \"assumed\"  # vendor | measured | assumed";
    else if (is_top && (sets(line, "licence") || sets(line, "date")))
      continue;
    else
      line = without_citation(line, is_recipe);
    out += line + "\n";
  }
  return out;
}

std::vector<PresetValue> preset_values(const std::string& text) {
  Problems ignored;
  std::vector<PresetValue> values;
  if (const auto table = parse_toml(text, "", ignored)) collect(*table, "", values);
  return values;
}

}  // namespace echo::config
