// The schema of sweep.toml.
// Problem: an editor that completes keys and marks mistakes needs a schema, and a second list of keys kept by
// hand would soon be wrong. Idea: walk axis_table, the vocabularies, settings(), entry_keys() and
// metric_table(), which the reader itself uses. Rules that a schema cannot express (units, expressions,
// constraints between axes) are left to `echo-sweep check`.
#include "cli/sweep_schema.hpp"

#include <vector>

#include "config/catalog/reliability_file.hpp"
#include "config/sweep_file/sweep_keys.hpp"
#include "simulate/what_if.hpp"
#include "sweep/axis.hpp"
#include "sweep/language/metric.hpp"
#include "sweep/language/vocabulary.hpp"
#include "text/json.hpp"

namespace echo::cli {
namespace {

using sweep::AxisInfo;
using sweep::AxisKind;

class SchemaWriter {
 public:
  explicit SchemaWriter(const simulate::Catalog& catalog) : catalog_(catalog) {}

  std::string whole() {
    json_.open_object().member("$schema", "https://json-schema.org/draft/2020-12/schema");
    json_.member("title", "echo-sweep: sweep.toml").member("type", "object");
    json_.member("additionalProperties", false).key("required").open_array().value("space").close();
    json_.key("properties").open_object();
    include();
    presets();
    sections();
    what_if();
    space();
    lists();
    json_.close();
    json_.key("$defs").open_object();
    for (const AxisInfo& axis : sweep::axis_table) definition(axis);
    json_.close().close();
    return json_.text();
  }

 private:
  void string_enum(const std::vector<std::string>& words) {
    json_.key("enum").open_array();
    for (const std::string& word : words) json_.value(word);
    json_.close();
  }
  void described(std::string_view help) { json_.member("description", help); }

  void include() {
    json_.key("include").open_object();
    described("files with presets and with defaults for derive, keep and limit");
    json_.member("type", "array").key("items").open_object().member("type", "string").close().close();
  }

  // [models.NAME] and the like; their fields are those of the preset's own file.
  void presets() {
    for (const std::string_view kind : config::included_sections()) {
      json_.key(kind).open_object();
      described("presets that the sweep defines itself, by name, or with base a change of another one");
      json_.member("type", "object")
          .key("additionalProperties")
          .open_object()
          .member("type", "object")
          .close();
      json_.close();
    }
  }

  // One key of settings(), or nothing if this version refuses it.
  void setting(const config::Setting& one) {
    using config::SettingForm;
    if (one.form == SettingForm::not_yet) return;
    json_.key(one.key).open_object();
    described(one.help);
    if (one.form == SettingForm::integer) {
      json_.member("type", "integer").member("minimum", static_cast<std::int64_t>(one.low));
      if (one.high < 1e9) json_.member("maximum", static_cast<std::int64_t>(one.high));
    } else if (one.form == SettingForm::skew) {
      json_.member("type", "object").member("additionalProperties", false).key("properties").open_object();
      json_.key("sigma")
          .open_object()
          .key("type")
          .open_array()
          .value("number")
          .value("string")
          .close()
          .close();
      json_.key("draws").open_object().member("type", "integer").member("minimum", 1).close().close();
      json_.key("required").open_array().value("sigma").value("draws").close();
    } else if (one.form == SettingForm::files || one.form == SettingForm::texts) {
      json_.key("type").open_array().value("string").value("array").close();
      json_.key("items").open_object().member("type", "string").close();
    } else if (one.form == SettingForm::word_or_file) {  // words are completed, any other text is a file
      json_.key("anyOf").open_array().open_object();
      string_enum(one.words);
      json_.close().open_object().member("type", "string").close().close();
    } else if (one.form == SettingForm::gpu_hours) {
      json_.key("type").open_array().value("string").value("object").close();
      json_.key("additionalProperties").open_object().member("type", "string").close();
    } else if (one.form == SettingForm::ratio) {
      json_.member("type", "number").member("minimum", 1.0);
    } else if (one.form == SettingForm::share) {
      json_.key("type").open_array().value("number").value("string").close();
    } else if (one.form == SettingForm::failures) {
      json_.key("type").open_array().value("integer").value("string").close();
    } else {
      json_.member("type", "string");
      if (one.form == SettingForm::word) string_enum(one.words);
    }
    json_.close();
  }
  void open_table(std::string_view name) {
    json_.key(name).open_object().member("type", "object").member("additionalProperties", false);
    json_.key("properties").open_object();
  }
  void text_key(std::string_view key, std::string_view help) {
    json_.key(key).open_object();
    described(help);
    json_.member("type", "string").close();
  }
  void reliability() {
    open_table("reliability");
    text_key("preset", "what the other keys leave open: echo-sweep presets list reliability");
    for (const config::ReliabilityKey& one : config::reliability_keys()) text_key(one.name, one.help);
    json_.key("spares").open_object();
    described(config::spares_help);
    json_.member("type", "integer").member("minimum", 0).close();
    open_table("checkpoint");
    text_key("every", config::every_help);
    json_.key("mode").open_object();
    described(config::mode_help);
    string_enum({"blocking", "async"});
    json_.close();
    for (const config::ReliabilityKey& one : config::checkpoint_keys()) text_key(one.name, one.help);
    json_.close().close();
    json_.close().close();
  }
  void sections() {
    std::vector<std::string_view> done;
    for (const config::Setting& one : config::settings()) {
      bool is_done = false;
      for (const std::string_view name : done) is_done = is_done || name == one.section;
      if (is_done) continue;
      done.push_back(one.section);
      if (!one.section.empty()) open_table(one.section);
      for (const config::Setting& other : config::settings()) {
        if (other.section == one.section) setting(other);
      }
      if (!one.section.empty()) json_.close().close();
    }
    reliability();
    json_.key("derive").open_object().member("type", "object");
    described("names and their expressions, in order; a point is dropped if a division is not exact");
    json_.key("additionalProperties").open_object().member("type", "string").close().close();
  }

  // The fields of one GPU or cluster.
  void hardware(std::string_view name, simulate::HardwareKind kind) {
    open_table(name);
    for (const simulate::HardwareField& field : simulate::hardware_fields())
      if (field.kind == kind) json_.key(field.name).open_object().member("type", "string").close();
    json_.close().close();
  }
  void named_hardware(std::string_view name, simulate::HardwareKind kind) {
    json_.key(name).open_object().member("type", "object");
    hardware("additionalProperties", kind);
    json_.close();
  }
  void what_if() {
    json_.key("what_if").open_object().member("type", "object").member("additionalProperties", false);
    described("hardware as it might be: a value with its unit, or a factor such as x1.5");
    json_.key("properties").open_object();
    hardware("gpu", simulate::HardwareKind::gpu);
    hardware("cluster", simulate::HardwareKind::cluster);
    named_hardware("gpus", simulate::HardwareKind::gpu);
    named_hardware("clusters", simulate::HardwareKind::cluster);
    json_.close().close();
  }

  void axes() {
    for (const AxisInfo& axis : sweep::axis_table) {
      json_.key(axis.name).open_object().member("$ref", "#/$defs/" + std::string(axis.name)).close();
    }
  }
  void paired() {
    open_table("paired");
    axes();
    json_.close().close();
  }
  void space() {
    open_table("space");
    axes();
    paired();
    json_.key("group").open_object().member("type", "array").key("items").open_object();
    json_.member("type", "object").member("additionalProperties", false).key("properties").open_object();
    json_.key("name").open_object().member("type", "string").close();
    axes();
    paired();
    json_.close().close().close();  // properties, items, group
    json_.close().close();
  }

  void entry(const config::EntryKey& key) {
    using config::EntryForm;
    json_.key(key.key).open_object();
    described(key.help);
    if (key.form == EntryForm::bound) {
      json_.key("type").open_array().value("string").value("number").close();
    } else if (key.form == EntryForm::expression) {
      json_.key("type").open_array().value("string").value("boolean").close();
    } else {
      json_.member("type", "string");
    }
    if (key.form == EntryForm::goal) string_enum({"min", "max"});
    if (key.form == EntryForm::metric) {
      std::vector<std::string> names;
      for (const sweep::Metric& metric : sweep::metric_table()) names.emplace_back(metric.name);
      string_enum(names);
    }
    json_.close();
  }
  void lists() {
    for (const char* list : {"keep", "limit", "objective"}) {
      json_.key(list).open_object().member("type", "array").key("items").open_object();
      json_.member("type", "object").member("additionalProperties", false).key("required").open_array();
      for (const config::EntryKey& key : config::entry_keys()) {
        if (key.list == list && key.required) json_.value(key.key);
      }
      json_.close().key("properties").open_object();
      for (const config::EntryKey& key : config::entry_keys()) {
        if (key.list == list) entry(key);
      }
      json_.close().close().close();
    }
  }

  // One value of an axis: the members of an open object.
  void one_value(const AxisInfo& axis) {
    switch (axis.kind) {
      case AxisKind::preset:
        json_.key("anyOf").open_array().open_object();
        string_enum(sweep::vocabulary_of(axis.axis, catalog_));
        json_.close().open_object().member("type", "string").close().close();
        return;
      case AxisKind::word:
        if (axis.axis != sweep::Axis::schedule) return string_enum(sweep::vocabulary_of(axis.axis, catalog_));
        json_.key("anyOf").open_array().open_object();
        string_enum(sweep::vocabulary_of(axis.axis, catalog_));
        json_.close().open_object().member("type", "string").member("pattern", "^file:").close().close();
        return;
      case AxisKind::count:
        json_.member("type", "integer").member("minimum", 1);
        return;
      case AxisKind::level:
        json_.member("type", "integer").member("minimum", 0);
        if (axis.highest < INT32_MAX) json_.member("maximum", std::int64_t{axis.highest});
        return;
      case AxisKind::batch:
        json_.key("anyOf").open_array().open_object().member("type", "integer").member("minimum", 1).close();
        json_.open_object().member("type", "string").member("pattern", "tokens?$").close().close();
        return;
      case AxisKind::flag:
        json_.key("anyOf").open_array().open_object().member("type", "boolean").close().open_object();
        string_enum({"on", "off"});
        json_.close().close();
        return;
      case AxisKind::version:
        json_.member("type", "string").member("pattern", "^2\\.[0-9]+\\.[0-9]+$");
        return;
      case AxisKind::words:
        json_.member("type", "string").member("pattern", "^[a-z_+]+$");
        return;
      case AxisKind::ratio:
        json_.member("type", "number").member("minimum", std::int64_t{0});
        return;
      case AxisKind::layer_list:
        json_.key("anyOf").open_array().open_object().member("const", "even").close().open_object();
        json_.member("type", "array")
            .key("items")
            .open_object()
            .member("type", "integer")
            .member("minimum", 0);
        json_.close().close().close();
        return;
    }
  }
  void range(std::string_view form, std::string_view second) {
    json_.open_object().member("type", "object").member("additionalProperties", false);
    json_.key("required").open_array().value(form);
    if (!second.empty()) json_.value(second);
    json_.close().key("properties").open_object();
    json_.key(form).open_object().member("type", "array").member("minItems", 2).member("maxItems", 2);
    json_.key("items").open_object().member("type", "integer").member("minimum", 1).close().close();
    if (!second.empty())
      json_.key(second).open_object().member("type", "integer").member("minimum", 2).close();
    json_.close().close();
  }
  void stepped() {
    json_.open_object().member("type", "object").member("additionalProperties", false);
    json_.key("required").open_array().value("from").value("to").close().key("properties").open_object();
    for (const char* key : {"from", "to", "step"})
      json_.key(key).open_object().member("type", "integer").member("minimum", 0).close();
    json_.close().close();
  }
  void definition(const AxisInfo& axis) {
    json_.key(axis.name).open_object().key("anyOf").open_array();
    json_.open_object();
    one_value(axis);
    json_.close();
    json_.open_object().member("type", "array").member("minItems", 1).key("items").open_object();
    one_value(axis);
    json_.close().close();
    const bool counts =
        axis.kind == AxisKind::count || axis.kind == AxisKind::level || axis.kind == AxisKind::batch;
    if (counts) {
      range("pow2", "");
      range("log", "n");
      stepped();
    }
    if (axis.has_auto) json_.open_object().member("const", "auto").close();
    json_.close().close();
  }

  const simulate::Catalog& catalog_;
  text::Json json_;
};

}  // namespace

std::string sweep_schema(const simulate::Catalog& catalog) { return SchemaWriter(catalog).whole(); }

}  // namespace echo::cli
