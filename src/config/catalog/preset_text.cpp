// Preset files as text.
// Problem: a template must list every key of a kind with its unit, and a list kept beside the reader would
// soon be wrong. Idea: let the reader read an empty table and record the keys that it requests.
#include "config/catalog/preset_text.hpp"

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

std::string renamed_preset(const std::string& text, const std::string& old_name, const std::string& name) {
  std::string out = text;
  const std::string quoted = "\"" + old_name + "\"";
  std::size_t line = 0;
  while (line < out.size()) {  // name = "..." at the start of a line, of the top table
    const std::size_t end = std::min(out.find('\n', line), out.size());
    const std::size_t at = out.find(quoted, line);
    if (out.compare(line, 4, "name") == 0 && at < end) {
      out.replace(at, quoted.size(), "\"" + name + "\"");
      break;
    }
    line = end + 1;
  }
  return "# Copied from " + old_name +
         ": change the values that differ, and give the sources of the new ones.\n" + out;
}

std::vector<PresetValue> preset_values(const std::string& text) {
  Problems ignored;
  std::vector<PresetValue> values;
  if (const auto table = parse_toml(text, "", ignored)) collect(*table, "", values);
  return values;
}

}  // namespace echo::config
