#include "config/sweep_file/axis_values.hpp"

#include <toml++/toml.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "config/catalog/order_file.hpp"
#include "config/catalog/preset_files.hpp"
#include "config/toml/did_you_mean.hpp"
#include "sweep/language/vocabulary.hpp"

namespace echo::config {
namespace {

using sweep::Axis;
using sweep::AxisKind;
using sweep::AxisValue;

constexpr std::size_t most_values = 100'000;  // of one axis; a slip in { from, to, step } asks for more

class ValueReader {
 public:
  ValueReader(const sweep::AxisInfo& axis, Crossing crossing, AxisContext& context, ReadAxis& out)
      : axis_(axis), crossing_(crossing), context_(context), problems_(context.problems), out_(out) {}

  void form(const toml::node& node) {
    if (const auto* text = node.as_string(); text != nullptr && text->get() == "auto") return automatic(node);
    if (const toml::table* table = node.as_table()) return generated(*table);
    const toml::array* list = node.as_array();
    const bool one_split =
        axis_.kind == AxisKind::layer_list && list != nullptr && !list->empty() && list->get(0)->is_integer();
    if (list == nullptr || one_split) return one(node);
    if (list->empty()) return error(node, name() + " has no values", "list at least one");
    if (list->size() > most_values) {
      Place start = place_of(node);
      start.length = 1;
      return problems_.error(start, name() + " has " + std::to_string(list->size()) + " values",
                             "an axis has at most 100 000; split the sweep");
    }
    for (const toml::node& value : *list) one(value);
  }

 private:
  [[nodiscard]] std::string name() const { return std::string(axis_.name); }
  void error(const toml::node& node, std::string what, std::string remedy) {
    problems_.error(place_of(node), std::move(what), std::move(remedy));
  }
  void add(const toml::node& node, AxisValue value) {
    const bool fresh = listed_.emplace(value.number, value.text).second;
    if (!fresh && crossing_ == Crossing::crossed) {
      return problems_.warning(place_of(node), name() + " lists this value twice", "it is simulated once");
    }
    out_.column.values.push_back(std::move(value));
    out_.places.push_back(place_of(node));
  }
  void wrong_type(const toml::node& node, const std::string& wanted) {
    error(node, name() + " must be " + wanted + ", not " + type_of(node), "write " + wanted);
  }

  void automatic(const toml::node& node) {
    out_.automatic = axis_.has_auto;
    if (out_.automatic) return;
    std::string axes;
    for (const sweep::AxisInfo& axis : sweep::axis_table) {
      if (axis.has_auto) axes += (axes.empty() ? "" : ", ") + std::string(axis.name);
    }
    error(node, name() + " has no \"auto\"", "auto is for " + axes + "; list the values");
  }

  // The range of an integer axis.
  [[nodiscard]] std::int64_t lowest() const { return axis_.kind == AxisKind::level ? 0 : 1; }
  [[nodiscard]] std::int64_t highest() const { return axis_.highest; }

  void one(const toml::node& node) {
    switch (axis_.kind) {
      case AxisKind::preset:
      case AxisKind::word:
        return word(node);
      case AxisKind::count:
      case AxisKind::level:
        return whole(node);
      case AxisKind::batch:
        return batch(node);
      case AxisKind::flag:
        if (const auto value = switch_of(node)) return add(node, {*value ? 1 : 0, ""});
        return wrong_type(node, "true or false");
      case AxisKind::version:
        return version(node);
      case AxisKind::layer_list:
        return layers(node);
      case AxisKind::words:
        return words(node);
      case AxisKind::ratio:
        return ratio(node);
    }
  }

  void word(const toml::node& node) {
    const auto* text = node.as_string();
    if (text == nullptr) return wrong_type(node, "a string");
    const auto known = sweep::vocabulary_of(axis_.axis, context_.catalog);
    const std::string& value = text->get();
    if (axis_.axis == Axis::schedule && value.starts_with("file:")) return order(node, value);
    if (std::find(known.begin(), known.end(), value) != known.end()) return add(node, {0, value});
    const std::string alias = context_.aliases.resolve(axis_.name, value);
    const bool alias_known = std::find(known.begin(), known.end(), alias) != known.end();
    std::string remedy = alias_known ? "did you mean \"" + alias + "\"?" : suggest(value, known, "known");
    const bool listed = axis_.kind == AxisKind::preset || axis_.axis == Axis::schedule;
    if (listed) remedy += "  (echo-sweep presets list " + name() + "s)";
    error(node, "unknown " + name() + " \"" + value + "\"", remedy);
  }

  void words(const toml::node& node) {
    const auto* text = node.as_string();
    if (text == nullptr) return wrong_type(node, "words joined by +");
    const auto words = training::member_of(axis_.axis).words;
    if (const auto bits = training::bits_of(words, text->get()))
      return add(node, {*bits, training::text_of_bits(words, *bits)});
    std::string known;
    for (const std::string_view word : words) known += (known.empty() ? "" : ", ") + std::string(word);
    error(node, "unknown " + name() + " \"" + text->get() + "\"",
          "none, or some of " + known + ", joined by +");
  }

  void ratio(const toml::node& node) {
    const auto value = node.value<double>();
    if (!node.is_number() || !value) return wrong_type(node, "a number");
    const double most = static_cast<double>(highest()) / 1000.0;
    if (!(*value >= 0.0 && *value <= most)) {
      return error(node, name() + " is impossible", fmt::format("it must be from 0 to {}", most));
    }
    add(node, {std::llround(*value * 1000.0), ""});
  }

  // A schedule given as a task order in a file next to the sweep.
  void order(const toml::node& node, const std::string& name) {
    const std::string folder = std::filesystem::path(place_of(node).file).parent_path().string();
    auto given = read_order(name, folder, node, problems_);
    if (!given) return;
    auto& known = context_.catalog.orders;
    add(node, {0, given->name});
    if (std::find(known.begin(), known.end(), *given) == known.end()) known.push_back(std::move(*given));
  }

  void whole(const toml::node& node) {
    const auto* value = node.as_integer();
    if (value == nullptr) return wrong_type(node, "an integer");
    if (value->get() < lowest() || value->get() > highest()) {
      return error(
          node, name() + " = " + std::to_string(value->get()) + " is impossible",
          "it must be at least " + std::to_string(lowest()) + " and at most " + std::to_string(highest()));
    }
    add(node, {value->get(), ""});
  }

  void batch(const toml::node& node) {
    const auto* text = node.as_string();
    if (text == nullptr) {
      if (!node.is_integer()) return wrong_type(node, "sequences (an integer) or tokens (\"4 Mi tokens\")");
      if (out_.tokens) return error(node, "global_batch mixes sequences and tokens", "use one of them");
      return whole(node);
    }
    if (!out_.tokens && !out_.column.values.empty()) {
      return error(node, "global_batch mixes sequences and tokens", "use one of them");
    }
    UnitProblem problem;
    const auto tokens = parse_quantity(text->get(), UnitKind::tokens, name(), problem);
    if (!tokens) return error(node, problem.what, problem.remedy);
    if (*tokens < 1.0L || *tokens > 0x1p62L || *tokens != std::floor(*tokens)) {
      return error(node, "\"" + text->get() + "\" is not a whole, positive number of tokens",
                   "correct the number");
    }
    out_.tokens = true;
    add(node, {static_cast<std::int64_t>(*tokens), ""});
  }

  void version(const toml::node& node) {
    const auto* text = node.as_string();
    if (text == nullptr) return wrong_type(node, "a string");
    const auto number = nccl_version_of(text->get());
    if (!number)
      return error(node, "\"" + text->get() + "\" is not an NCCL version", "write it as \"2.21.5\"");
    add(node, {*number, text->get()});
  }

  void layers(const toml::node& node) {
    if (const auto* text = node.as_string(); text != nullptr && text->get() == "even")
      return add(node, {-1, ""});
    const toml::array* list = node.as_array();
    if (list == nullptr) return wrong_type(node, "\"even\" or a list of layers per chunk");
    std::vector<std::int32_t> table;
    for (const toml::node& chunk : *list) {
      const auto* layers = chunk.as_integer();
      if (layers == nullptr || layers->get() < 0 || layers->get() > INT32_MAX) {
        return error(chunk, "layers per chunk must be non-negative integers",
                     "write the number of layers of each chunk");
      }
      table.push_back(static_cast<std::int32_t>(layers->get()));
    }
    auto& known = context_.catalog.layer_tables;
    const auto at = std::find(known.begin(), known.end(), table) - known.begin();
    if (at == static_cast<std::ptrdiff_t>(known.size())) known.push_back(std::move(table));
    add(node, {at, ""});
  }

  // { pow2 = [lo, hi] }, { log = [lo, hi], n = k } and { from, to, step }.
  void generated(const toml::table& table) {
    const bool counts =
        axis_.kind == AxisKind::count || axis_.kind == AxisKind::batch || axis_.kind == AxisKind::level;
    if (!counts) return error(table, name() + " takes names, not a range", "list the values");
    TableReader reader(table, place_of(table), "axis " + name(), problems_);
    if (const toml::node* bounds = reader.node("pow2", Presence::optional)) {
      powers_of_two(*bounds);
    } else if (const toml::node* ends = reader.node("log", Presence::optional)) {
      std::int64_t n = 0;
      const int before = problems_.errors();
      reader.integer("n", {2.0, 10'000.0}, n);
      if (problems_.errors() == before) logarithmic(*ends, n);
    } else {
      std::int64_t from = 0, to = 0, step = 1;
      const int before = problems_.errors();
      const Range range{static_cast<double>(lowest()), static_cast<double>(highest())};
      reader.integer("from", range, from);
      reader.integer("to", range, to);
      reader.integer("step", at_least_one, step, Presence::optional);
      if (problems_.errors() == before) stepped(table, from, to, step);
    }
    reader.finish();
  }
  // The two whole numbers of [lo, hi], in order and possible for this axis.
  bool ends_of(const toml::node& node, const std::string& form, std::int64_t& low, std::int64_t& high) {
    const toml::array* pair = node.as_array();
    const bool two =
        pair != nullptr && pair->size() == 2 && pair->get(0)->is_integer() && pair->get(1)->is_integer();
    if (!two) {
      error(node, form + " must be [lowest, highest]", "write { " + form + " = [1, 8] }, with integers");
      return false;
    }
    low = pair->get(0)->as_integer()->get(), high = pair->get(1)->as_integer()->get();
    if (low >= 1 && low <= high && high <= highest()) return true;
    impossible(node, form, low, high, "the lower first, from 1 to " + std::to_string(highest()));
    return false;
  }
  void impossible(const toml::node& node, const std::string& form, std::int64_t low, std::int64_t high,
                  std::string remedy) {
    error(node, form + " = [" + std::to_string(low) + ", " + std::to_string(high) + "] is impossible",
          std::move(remedy));
  }
  void powers_of_two(const toml::node& bounds) {
    std::int64_t low = 0, high = 0;
    if (!ends_of(bounds, "pow2", low, high)) return;
    const auto is_power = [](std::int64_t n) { return std::has_single_bit(static_cast<std::uint64_t>(n)); };
    if (!is_power(low) || !is_power(high)) {
      return impossible(bounds, "pow2", low, high, "both must be powers of two, the lower first");
    }
    for (std::int64_t value = low; value <= high; value *= 2) add(bounds, {value, ""});
  }
  // n values evenly spaced in the logarithm, each rounded to a whole number; of equal neighbours one is kept.
  void logarithmic(const toml::node& bounds, std::int64_t n) {
    std::int64_t low = 0, high = 0, last = 0;
    if (!ends_of(bounds, "log", low, high)) return;
    const double ratio = static_cast<double>(high) / static_cast<double>(low);
    for (std::int64_t i = 0; i < n; ++i) {
      const double exact =
          static_cast<double>(low) * std::pow(ratio, static_cast<double>(i) / static_cast<double>(n - 1));
      const std::int64_t value = i == n - 1 ? high : std::llround(exact);
      if (value > last) add(bounds, {value, ""});
      last = value;
    }
  }
  void stepped(const toml::node& node, std::int64_t from, std::int64_t to, std::int64_t step) {
    if (to < from) return error(node, "this range is empty", "from must not exceed to");
    if (static_cast<std::size_t>((to - from) / step) >= most_values)
      return error(node, "this range has over 100 000 values", "widen step");
    for (std::int64_t value = from; value <= to; value += step) add(node, {value, ""});
  }

  const sweep::AxisInfo& axis_;
  Crossing crossing_;
  AxisContext& context_;
  Problems& problems_;
  ReadAxis& out_;
  std::set<std::pair<std::int64_t, std::string>> listed_;
};

}  // namespace

Problem unknown_axis(const std::string& name, Place place) {
  std::vector<std::string> names;
  names.reserve(sweep::axis_table.size());
  for (const sweep::AxisInfo& info : sweep::axis_table) names.emplace_back(info.name);
  return {std::move(place), "there is no axis \"" + name + "\"",
          suggest(name, names, "name an axis of [space]")};
}

sweep::Axis axis_named(const std::string& name) {
  const auto axis = training::find_axis(name);
  if (!axis) throw UserError({unknown_axis(name)});
  return *axis;
}

ReadAxis read_axis(const sweep::AxisInfo& axis, const toml::node& node, Crossing crossing,
                   AxisContext& context) {
  ReadAxis out;
  out.column.axis = axis.axis;
  out.place = place_of(node);
  ValueReader(axis, crossing, context, out).form(node);
  return out;
}

}  // namespace echo::config
