#include "config/sweep_file/settings_reader.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>

#include "config/sweep_file/economics_reader.hpp"
#include "config/sweep_file/sweep_keys.hpp"
#include "config/toml/did_you_mean.hpp"
#include "training/axis.hpp"

namespace echo::config {
namespace {

// Words of the full design that are not built.
constexpr const char* later_distributions[] = {"static", "guided"};

void refuse_later_words(const toml::node& node, const Setting& setting, Problems& problems) {
  const auto* word = node.as_string();
  if (word == nullptr) return;
  const auto is = [&](const char* later) { return word->get() == later; };
  if (std::ranges::none_of(later_distributions, is)) return;
  std::string known;
  for (const std::string& name : setting.words) known += (known.empty() ? "" : ", ") + name;
  problems.error(place_of(node), std::string(setting.key) + " \"" + word->get() + "\" is not supported yet",
                 "known: " + known);
}

// 10, "10" or "2 %".
bool read_failures(TableReader& section, const Setting& setting, SettingValue& value) {
  const toml::node* node = section.node(setting.key, Presence::optional);
  if (node == nullptr) return false;
  std::string text = node->is_integer() ? std::to_string(node->as_integer()->get()) : node->value_or("");
  const bool share = text.ends_with('%');
  std::string_view digits = text;
  if (share) digits.remove_suffix(1);
  while (share && digits.ends_with(' ')) digits.remove_suffix(1);
  double number = -1.0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = share || digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (failed != std::errc() || end != digits.data() + digits.size() || !whole || !(number >= 0.0) ||
      number > (share ? 100.0 : 9e18)) {
    section.problems().error(place_of(*node),
                             std::string(setting.key) + " is neither a number of points nor a percentage",
                             "write \"10\" or \"2 %\"");
    return false;
  }
  value.text = share ? std::string(digits) + " %" : text;
  return true;
}

// "2 %" or 0.02.
std::optional<double> share_of(const toml::node& node) {
  if (node.is_number()) return node.value<double>();
  const std::string text = node.value_or(std::string());
  double percent = 0.0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), percent);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (failed != std::errc() || (unit != "%" && unit != " %")) return std::nullopt;
  return percent / 100.0;
}

bool read_share(TableReader& section, const Setting& setting, SettingValue& value) {
  const toml::node* node = section.node(setting.key, Presence::optional);
  if (node == nullptr) return false;
  value.number = share_of(*node).value_or(-1.0);
  if (value.number >= 0.0 && value.number <= 1.0) return true;
  section.problems().error(place_of(*node), std::string(setting.key) + " is not between 0 and 100 %",
                           "write \"90 %\" or 0.9");
  return false;
}

// { sigma = "2 %", draws = 64 }
bool read_skew(TableReader& section, const Setting& setting, SettingValue& value) {
  const toml::node* node = section.node(setting.key, Presence::optional);
  if (node == nullptr) return false;
  if (!node->is_table()) {
    section.wrong_type(*node, setting.key, "a table such as { sigma = \"2 %\", draws = 64 }");
    return false;
  }
  TableReader skew(*node->as_table(), place_of(*node), std::string(setting.key), section.problems());
  constexpr double most = 0.5;  // half as slow again, one in six
  if (const toml::node* sigma = skew.node("sigma", Presence::require)) {
    value.number = share_of(*sigma).value_or(-1.0);
    if (!(value.number >= 0.0 && value.number <= most))
      section.problems().error(place_of(*sigma), "sigma is not between 0 and 50 %", "write \"2 %\" or 0.02");
  }
  skew.integer("draws", {1, 100'000}, value.draws);
  skew.finish();
  return true;
}

// As seen from where the program runs: relative to the file that names it, but for --set.
std::filesystem::path path_of(const toml::node& node, const std::string& name) {
  const std::string& place = place_of(node).file;
  const std::filesystem::path folder =
      place.starts_with("--set") ? std::filesystem::path() : std::filesystem::path(place).parent_path();
  return (folder / name).lexically_normal();
}

bool is_file(const std::filesystem::path& path) {
  std::error_code failed;
  return std::filesystem::is_regular_file(path, failed);
}

bool read_file(const toml::node& node, const Setting& setting, SettingValue& value, Problems& problems) {
  const auto* name = node.as_string();
  if (name == nullptr || name->get().empty()) {
    problems.error(place_of(node),
                   std::string(setting.key) + " must be a list of file names, not " + type_of(node),
                   "write " + std::string(setting.key) + " = [\"a100.h5\"]");
    return false;
  }
  const std::filesystem::path path = path_of(node, name->get());
  if (!is_file(path)) {
    problems.error(place_of(node), "there is no file \"" + path.string() + "\"",
                   "paths are relative to the sweep; echo-sweep profile import makes profiles");
    return false;
  }
  value.files.push_back(path.string());
  return true;
}

// "a.h5" or ["a.h5", "b.h5"]
bool read_files(TableReader& section, const Setting& setting, SettingValue& value) {
  const toml::node* node = section.node(setting.key, Presence::optional);
  if (node == nullptr) return false;
  const toml::array* list = node->as_array();
  if (list == nullptr) return read_file(*node, setting, value, section.problems());
  bool fine = true;
  for (const toml::node& one : *list) fine = read_file(one, setting, value, section.problems()) && fine;
  return fine;
}

// "traces/gpt.jsonl"
bool read_path(TableReader& section, const Setting& setting, SettingValue& value) {
  if (!section.text(setting.key, value.text, Presence::optional)) return false;
  const toml::node* node = section.node(setting.key, Presence::optional);
  if (!node->is_string()) return false;
  const std::filesystem::path path = path_of(*node, value.text);
  std::error_code failed;
  if (value.text.empty() || !std::filesystem::exists(path, failed)) {
    section.problems().error(place_of(*node), "there is no file or folder \"" + path.string() + "\"",
                             "paths are relative to the sweep");
    return false;
  }
  value.text = path.string();
  return true;
}

// "dp" or ["dp", "fsdp"]
bool read_texts(TableReader& section, const Setting& setting, SettingValue& value) {
  const toml::node* node = section.node(setting.key, Presence::optional);
  if (node == nullptr) return false;
  const toml::array* list = node->as_array();
  const auto one = [&](const toml::node& text) {
    if (text.is_string()) {
      value.files.push_back(text.as_string()->get());
    } else {
      section.wrong_type(text, setting.key, "a list of names");
    }
  };
  if (list == nullptr) return one(*node), node->is_string();
  for (const toml::node& text : *list) one(text);
  return true;
}

// "auto", or "models/forest.slowdown"
bool read_word_or_file(TableReader& section, const Setting& setting, SettingValue& value) {
  const toml::node* node = section.node(setting.key, Presence::optional);
  if (node == nullptr) return false;
  if (!node->is_string()) {
    section.wrong_type(*node, setting.key, "a word, or the name of a file");
    return false;
  }
  const std::string& text = node->as_string()->get();
  const auto word = std::find(setting.words.begin(), setting.words.end(), text);
  value.number = static_cast<double>(word - setting.words.begin());
  if (word != setting.words.end()) return true;
  value.text = path_of(*node, text).string();
  if (!text.empty() && is_file(value.text)) return true;
  section.problems().error(
      place_of(*node),
      std::string(setting.key) + " is neither a known word nor a file: \"" + value.text + "\"",
      suggest(text, setting.words, "words") + "; paths are relative to the sweep");
  return false;
}

bool read_word(TableReader& section, const Setting& setting, SettingValue& value) {
  const toml::node* node = section.node(setting.key, Presence::optional);
  if (node == nullptr) return false;
  const int before = section.problems().errors();
  refuse_later_words(*node, setting, section.problems());
  if (section.problems().errors() > before) return false;
  int word = -1;
  section.choice(setting.key, setting.words, word, Presence::optional);
  value.number = word;
  return word >= 0;
}

// True where there is a proper value.
bool read_value(TableReader& section, const Setting& setting, SettingValue& value) {
  const int before = section.problems().errors();
  const auto fine = [&](bool there) { return there && section.problems().errors() == before; };
  switch (setting.form) {
    case SettingForm::text:
      return fine(section.text(setting.key, value.text, Presence::optional));
    case SettingForm::integer: {
      std::int64_t number = 0;
      const bool there =
          section.integer(setting.key, {setting.low, setting.high}, number, Presence::optional);
      value.number = static_cast<double>(number);
      return fine(there);
    }
    case SettingForm::word:
      return read_word(section, setting, value);
    case SettingForm::duration:
      return fine(
          section.quantity(setting.key, UnitKind::duration, {0.0, 1e9}, value.number, Presence::optional));
    case SettingForm::tokens:
      return fine(
          section.quantity(setting.key, UnitKind::tokens, {1.0, 1e18}, value.number, Presence::optional));
    case SettingForm::share:
      return fine(read_share(section, setting, value));
    case SettingForm::failures:
      return read_failures(section, setting, value);
    case SettingForm::skew:
      return fine(read_skew(section, setting, value));
    case SettingForm::files:
      return fine(read_files(section, setting, value));
    case SettingForm::word_or_file:
      return fine(read_word_or_file(section, setting, value));
    case SettingForm::path:
      return fine(read_path(section, setting, value));
    case SettingForm::texts:
      return fine(read_texts(section, setting, value));
    case SettingForm::gpu_hours:
      return read_gpu_hours(section, setting, value);
    case SettingForm::electricity:
      return read_electricity(section, setting, value);
    case SettingForm::carbon:
      return read_carbon(section, setting, value);
    case SettingForm::ratio:
      return fine(section.real(setting.key, {1.0, 10.0}, value.number, Presence::optional));
    case SettingForm::not_yet:
      if (const toml::node* node = section.node(setting.key, Presence::optional)) {
        const std::string name = std::string(setting.section) + "." + std::string(setting.key);
        section.problems().error(place_of(*node), name + " is not supported yet", std::string(setting.help));
      }
      return false;
  }
  return false;
}

void read_section(std::string_view name, TableReader& reader, sweep::SweepSpec& spec) {
  for (const Setting& setting : settings()) {
    if (setting.section != name) continue;
    SettingValue value;
    if (read_value(reader, setting, value)) setting.store(spec, value);
  }
}

void check_name(TableReader& root, const sweep::SweepSpec& spec) {
  const toml::node* node = root.node("name", Presence::optional);
  const auto odd = [](unsigned char c) { return c <= ' ' || c == '/' || c == '\\'; };
  if (node == nullptr || !std::any_of(spec.name.begin(), spec.name.end(), odd)) return;
  root.problems().error(place_of(*node), "the name \"" + spec.name + "\" contains blanks or slashes",
                        "it names the result file; use letters, digits and dashes");
}

// Keys of [search] that go with some strategies only.
void check_search_keys(const toml::table& table, sweep::Strategy strategy, Problems& problems) {
  using sweep::Strategy;
  const auto refuse = [&](const char* key, const char* what, const char* remedy) {
    if (table.contains(key)) problems.error(place_of(*table.get(key)), what, remedy);
  };
  if (strategy == Strategy::grid)
    refuse("points", "a grid always runs all its points",
           "remove points, or search with strategy = \"random\" or \"sobol\"");
  if (strategy == Strategy::best) {
    refuse("points", "a search for the best decides itself which points it runs", "remove points");
    if (table.contains("top"))
      refuse("within", "top counts the points that are wanted, within says how good they must be",
             "remove one of the two");
    return;
  }
  for (const char* const key : {"top", "within", "per"})
    refuse(key, "only a search for the best has this key", "search with strategy = \"best\", or remove it");
  if (strategy != Strategy::grid && !table.contains("points"))
    problems.error(place_of(*table.get("strategy")), "this strategy needs a number of points",
                   "add points = 1000");
}

void check_slices(const toml::table& table, const std::vector<std::string>& axes, Problems& problems) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool again = std::find(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(i), axes[i]) !=
                       axes.begin() + static_cast<std::ptrdiff_t>(i);
    if (again)
      problems.error(place_of(*table.get("per")), "per names \"" + axes[i] + "\" twice",
                     "remove one of them");
    else if (!training::find_axis(axes[i]))
      problems.error(place_of(*table.get("per")), "per names \"" + axes[i] + "\", which is no axis",
                     "name axes, as in per = [\"cluster\", \"gpus\"]");
  }
}

void check_search(TableReader& root, const sweep::Search& search) {
  const toml::node* node = root.node("search", Presence::optional);
  if (node == nullptr || !node->is_table()) return;
  const toml::table& table = *node->as_table();
  const bool is_known = !table.contains("strategy") || search.strategy != sweep::Strategy::grid ||
                        table["strategy"].value_or(std::string()) == "grid";
  if (is_known) check_search_keys(table, search.strategy, root.problems());
  if (search.strategy != sweep::Strategy::best) return;
  check_slices(table, search.per, root.problems());
  if (const toml::node* within = table.get("within"); within != nullptr && search.within == 0.0)
    root.problems().error(place_of(*within), "within is no share above 0",
                          "write top = 1 for the best point alone");
}

// What acts on packets alone, where none are simulated.
void check_packet_keys(TableReader& root, const sweep::SweepSpec& spec) {
  if (spec.contention == simulate::Contention::packet) return;
  const auto warn = [&root](const toml::node& node, const char* key) {
    root.problems().warning(place_of(node),
                            std::string(key) + " has no effect without contention = \"packet\"",
                            std::string("write contention = \"packet\" in [simulate], or remove ") + key);
  };
  const auto look_in = [&](const toml::node* section, std::span<const char* const> keys) {
    if (section == nullptr || !section->is_table()) return;
    for (const char* const key : keys)
      if (const toml::node* node = section->as_table()->get(key)) warn(*node, key);
  };
  static constexpr std::array settings{"congestion_control", "packet_budget", "packet_cache"};
  static constexpr std::array axes{"congestion_control"};
  look_in(root.node("simulate", Presence::optional), settings);
  const toml::node* const space = root.node("space", Presence::optional);
  look_in(space, axes);
  if (space == nullptr || !space->is_table()) return;
  if (const toml::array* groups = (*space->as_table())["group"].as_array())
    for (const toml::node& group : *groups) look_in(&group, axes);
}

void fill_in_name(sweep::SweepSpec& spec) {
  const std::string hole = "{name}";
  for (std::size_t at = spec.output_file.find(hole); at != std::string::npos;
       at = spec.output_file.find(hole, at)) {
    spec.output_file.replace(at, hole.size(), spec.name);
    at += spec.name.size();
  }
}

}  // namespace

void read_settings(TableReader& root, sweep::SweepSpec& spec) {
  read_section("", root, spec);
  check_name(root, spec);
  std::vector<std::string_view> done{""};
  for (const Setting& setting : settings()) {
    if (std::find(done.begin(), done.end(), setting.section) != done.end()) continue;
    done.push_back(setting.section);
    const toml::table* table = root.table(setting.section, Presence::optional);
    if (table == nullptr) continue;
    TableReader reader(*table, place_of(*table), "[" + std::string(setting.section) + "]", root.problems());
    read_section(setting.section, reader, spec);
    reader.finish();
  }
  check_search(root, spec.search);
  check_packet_keys(root, spec);
  fill_in_name(spec);
  if (spec.skew.draws > 0) spec.skew.seed = static_cast<std::uint64_t>(spec.seed);
}

}  // namespace echo::config
