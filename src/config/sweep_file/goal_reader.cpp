#include "config/sweep_file/goal_reader.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "config/sweep_file/sweep_keys.hpp"
#include "config/toml/did_you_mean.hpp"
#include "sweep/language/metric.hpp"
#include "sweep/language/unit.hpp"

namespace echo::config {
namespace {

std::string shown(const toml::node& number) {
  std::array<char, 32> buffer{};
  char* const end = buffer.data() + buffer.size();
  char* const last = number.is_integer() ? std::to_chars(buffer.data(), end, number.as_integer()->get()).ptr
                                         : std::to_chars(buffer.data(), end, number.value_or(0.0)).ptr;
  return {buffer.data(), last};
}

bool read_metric(TableReader& reader, const EntryKey& key, std::string& value) {
  if (!reader.text(key.key, value)) return false;
  if (sweep::find_metric(value) != nullptr) return true;
  const toml::node& node = *reader.node(key.key, Presence::optional);
  if (!node.is_string() || value.empty()) return false;
  std::vector<std::string> names;
  for (const sweep::Metric& metric : sweep::metric_table()) names.emplace_back(metric.name);
  reader.problems().error(place_of(node), "unknown metric \"" + value + "\"",
                          suggest(value, names, "metrics"));
  return false;
}

bool read_bound(TableReader& reader, const EntryKey& key, std::string& value) {
  const toml::node* node = reader.node(key.key, Presence::optional);
  if (node == nullptr) return false;
  if (node->is_number()) return value = shown(*node), true;
  if (node->is_string()) return reader.text(key.key, value) && !value.empty();
  reader.wrong_type(*node, key.key, "an expression in a string");
  return false;
}

bool read_key(TableReader& reader, const EntryKey& key, std::string& value) {
  const Presence presence = key.required ? Presence::require : Presence::optional;
  switch (key.form) {
    case EntryForm::expression:
      if (const toml::node* node = reader.node(key.key, Presence::optional);
          node != nullptr && node->is_boolean())
        return value = node->value_or(false) ? "true" : "false", true;
      return reader.text(key.key, value, presence) && !value.empty();
    case EntryForm::text:
      return reader.text(key.key, value, presence) && !value.empty();
    case EntryForm::metric:
      return read_metric(reader, key, value);
    case EntryForm::bound:
      return read_bound(reader, key, value);
    case EntryForm::goal: {
      int goal = -1;
      reader.choice(key.key, {"min", "max"}, goal, presence);
      value = goal == 1 ? "max" : "min";
      return goal >= 0;
    }
  }
  return false;
}

// A number without a unit on a metric that has one: both readings are offered.
bool lacks_unit(const toml::node& node, const std::string& bound, const sweep::Metric& metric,
                Problems& problems) {
  double number = 0.0;
  const auto [end, failed] = std::from_chars(bound.data(), bound.data() + bound.size(), number);
  const bool bare = failed == std::errc() && end == bound.data() + bound.size();
  if (metric.unit == sweep::plain || !bare) return false;
  std::string remedy;
  if (metric.unit == sweep::in_bytes) remedy = "write \"" + bound + " GiB\" or \"" + bound + " GB\"";
  if (metric.unit == sweep::in_seconds) remedy = "write \"" + bound + " s\" or \"" + bound + " d\"";
  if (metric.unit == sweep::per_second)
    remedy = "write \"" + bound + " tokens/s\" or \"" + bound + " k tokens/s\"";
  if (metric.unit == sweep::in_joules) remedy = "write \"" + bound + " kWh\" or \"" + bound + " MWh\"";
  if (metric.unit == sweep::in_kilograms) remedy = "write \"" + bound + " kg\" or \"" + bound + " t\"";
  if (metric.unit == sweep::in_watts) remedy = "write \"" + bound + " W\"";
  problems.error(place_of(node),
                 std::string(metric.name) + " needs a unit: it is in " + sweep::words_of(metric.unit),
                 remedy);
  return true;
}

struct ReadLimit {
  sweep::Limit limit;
  Place place;
};

// A cost is a number in the sweep's currency: "2 M USD" means 2 M.
void without_currency(std::string& bound, const std::string& metric, const std::string& currency) {
  if (metric != "cost" || currency.empty() || !bound.ends_with(currency)) return;
  bound = trimmed(std::string_view(bound).substr(0, bound.size() - currency.size()));
}

std::optional<ReadLimit> read_limit(const toml::table& table, const std::string& currency,
                                    Problems& problems) {
  const int before = problems.errors();
  auto values = read_entry(table, "limit", problems);
  if (problems.errors() > before) return std::nullopt;
  const toml::node* const max = table.get("max");
  const toml::node* const min = table.get("min");
  if ((max == nullptr) == (min == nullptr)) {
    const char* const what = max == nullptr ? "this limit has no bound" : "a limit has max or min, not both";
    problems.error(max == nullptr ? place_of(table) : place_of(*min), what,
                   max == nullptr ? "add max = \"...\" or min = \"...\"" : "write two limits");
    return std::nullopt;
  }
  const toml::node& node = *(max != nullptr ? max : min);
  const std::string& metric = values["metric"];
  if (lacks_unit(node, max != nullptr ? values["max"] : values["min"], *sweep::find_metric(metric), problems))
    return std::nullopt;
  without_currency(values["max"], metric, currency);
  without_currency(values["min"], metric, currency);
  ReadLimit read;
  read.limit = {values["name"].empty() ? metric : values["name"], metric, values["max"], values["min"]};
  read.place = node.is_string() ? place_inside(node) : place_of(node);
  return read;
}

// Metrics of the whole training.
void want_target(const std::string& metric, const Place& place, const sweep::SweepSpec& spec,
                 Problems& problems) {
  const std::uint8_t needs = sweep::find_metric(metric)->needs;
  if ((needs & sweep::needs_failures) != 0 && !spec.terms.reliability.is_given())
    problems.error(place, metric + " needs to know how often machines fail",
                   "add [reliability] preset = \"llama3-h100\", or its own values");
  if ((needs & sweep::needs_tokens) == 0 || spec.terms.target_tokens > 0.0) return;
  problems.error(place, metric + " needs the length of the training", "add [target] tokens = \"1T tokens\"");
}

}  // namespace

std::map<std::string_view, std::string> read_entry(const toml::table& table, std::string_view list,
                                                   Problems& problems) {
  TableReader reader(table, place_of(table), "[[" + std::string(list) + "]]", problems);
  std::map<std::string_view, std::string> values;
  for (const EntryKey& key : entry_keys()) {
    std::string value;
    if (key.list == list && read_key(reader, key, value)) values[key.key] = std::move(value);
  }
  reader.finish();
  return values;
}

void read_limits(std::span<const toml::table* const> roots, sweep::SweepSpec& spec,
                 std::vector<Place>& places, Problems& problems) {
  std::vector<ReadLimit> all;
  for (const toml::table* root : roots) {
    const toml::node* node = root->get("limit");
    if (node == nullptr) continue;
    std::vector<ReadLimit> own;
    for (const toml::table* table : tables_in(*node, "limit", problems)) {
      auto read = read_limit(*table, spec.terms.economics.currency, problems);
      if (!read) continue;
      want_target(read->limit.metric, place_of(*table->get("metric")), spec, problems);
      const auto same = [&](const ReadLimit& other) { return other.limit.name == read->limit.name; };
      if (std::any_of(own.begin(), own.end(), same)) {
        problems.error(place_of(*table), "two limits have the name \"" + read->limit.name + "\"",
                       "rename one of them");
      }
      std::erase_if(all, same);
      own.push_back(std::move(*read));
    }
    std::move(own.begin(), own.end(), std::back_inserter(all));
  }
  for (ReadLimit& read : all) {
    spec.limits.push_back(std::move(read.limit));
    places.push_back(std::move(read.place));
  }
}

void read_objectives(const toml::table& root, sweep::SweepSpec& spec, Problems& problems) {
  const toml::node* node = root.get("objective");
  if (node == nullptr) return;
  for (const toml::table* table : tables_in(*node, "objective", problems)) {
    const int before = problems.errors();
    auto values = read_entry(*table, "objective", problems);
    if (problems.errors() > before) continue;
    const sweep::Metric& metric = *sweep::find_metric(values["metric"]);
    const Place place = place_of(*table->get("metric"));
    want_target(values["metric"], place, spec, problems);
    const bool small = values["goal"].empty() ? metric.small_is_good : values["goal"] == "min";
    const auto same = [&](const sweep::Objective& other) { return other.metric == metric.name; };
    if (std::any_of(spec.objectives.begin(), spec.objectives.end(), same)) {
      problems.error(place, "two objectives rank by " + std::string(metric.name), "remove one of them");
    }
    spec.objectives.push_back({values["metric"], small ? sweep::Goal::min : sweep::Goal::max});
  }
}

}  // namespace echo::config
