// Fitted constants: kernels, networks and slowdown share one form,
//   [constants] field = { value = 1.2, error = 0.1, source = "..." }
// (kernels also [knots.<name>], and both again under [library.<name>]), and the field list of the struct says
// which numbers there must be. A file of kernels with `like = "<name>"` lists only those that differ from
// that file's; with `other_die = true` it takes from it only the constants that every file must have, and
// neither knots nor libraries.
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <functional>

#include "config/catalog/preset_files.hpp"

namespace echo::config {

// Fields of a [constants] table, each a number or { value = ..., error = ..., source = ... }.
template <class Constants, class Fields>
static void read_fields(const toml::table& table, const std::string& what, const Fields& fields,
                        Presence presence, Constants& out, Problems& problems) {
  TableReader reader(table, place_of(table), what, problems);
  for (const auto& field : fields) {
    const toml::node* node = table.get(field.name);
    const toml::table* entry = node != nullptr ? node->as_table() : nullptr;
    if (entry == nullptr) {  // a plain number is equivalent; a missing one is reported where it is needed
      auto needed = presence;
      if constexpr (requires { field.is_optional; }) {
        if (field.is_optional) needed = Presence::optional;
      }
      reader.real(field.name, {-1e300, 1e300}, out.*field.member, needed);
      continue;
    }
    reader.ignore(field.name);
    TableReader one(*entry, place_of(*node), "constant \"" + std::string(field.name) + "\"", problems);
    for (const char* about : {"error", "source", "grade", "value"}) one.ignore(about);
    if constexpr (requires { field.error; }) {
      if (field.error != nullptr) one.real("error", {0.0, 1.0}, out.*field.error, Presence::optional);
    }
    const toml::node* value = entry->get("value");
    if (value != nullptr && value->is_number()) {
      out.*field.member = value->template value<double>().value_or(0.0);
    } else {
      problems.error(place_of(*node), "constant \"" + std::string(field.name) + "\" has no number",
                     "write { value = ..., source = \"...\" }");
    }
    one.finish();
  }
  reader.finish();
}

static void ignore_remarks(TableReader& file) {
  for (const char* free_text : {"grade", "licence", "fit"}) file.ignore(free_text);
}

// Name and constants; the function of each kind of file reads the rest before file.finish().
template <class Constants, class Fields>
static Constants read_constants(TableReader& file, const Fields& fields,
                                Presence presence = Presence::require) {
  Constants constants;
  std::string source, date;
  file.text("name", constants.name);
  file.text("source", source);
  file.text("date", date);
  ignore_remarks(file);
  const toml::table* table = file.table("constants");
  if (table != nullptr)
    read_fields(*table, "constants of \"" + constants.name + "\"", fields, presence, constants,
                file.problems());
  return constants;
}

collective::NetworkConstants read_network_constants(TableReader& file) {
  auto read = read_constants<collective::NetworkConstants>(file, collective::network_constant_fields());
  std::int64_t most_nodes = 0;
  file.integer("most_nodes", {0.0, 1e9}, most_nodes, Presence::optional);
  read.most_nodes = static_cast<std::int32_t>(most_nodes);
  file.finish();
  return read;
}

namespace {

std::vector<double> numbers_of(const toml::node* node) {
  std::vector<double> out;
  if (node == nullptr || !node->is_array()) return out;
  for (const toml::node& one : *node->as_array()) {
    const auto value = one.value<double>();
    if (!value) return {};
    out.push_back(*value);
  }
  return out;
}

bool are_ascending(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}

// at = [[...], [...], [...]] in octaves, factor = [...] with as many entries as the product of their
// lengths.
kernels::Knots read_knots(const toml::table& table, const std::string& what, Problems& problems) {
  kernels::Knots knots;
  TableReader reader(table, place_of(table), what, problems);
  for (const char* key : {"at", "factor", "coordinates"}) reader.ignore(key);
  reader.finish();
  const toml::array* at = table.get_as<toml::array>("at");
  bool is_proper = at != nullptr && at->size() == knots.at.size();
  std::size_t count = 1;
  for (std::size_t axis = 0; is_proper && axis < knots.at.size(); ++axis) {
    knots.at[axis] = numbers_of(at->get(axis));
    is_proper = !knots.at[axis].empty() && are_ascending(knots.at[axis]);
    count *= knots.at[axis].size();
  }
  knots.factor = numbers_of(table.get("factor"));
  is_proper = is_proper && knots.factor.size() == count &&
              std::all_of(knots.factor.begin(), knots.factor.end(), [](double f) { return f > 0.0; });
  if (is_proper) return knots;
  problems.error(
      place_of(table), what + " are not a grid",
      "write at = three ascending lists of octaves, factor = as many positive numbers as the lists' "
      "lengths multiplied");
  return {};
}

void read_all_knots(TableReader& file, const std::string& of, kernels::KernelConstants& constants) {
  const toml::table* table = file.table("knots", Presence::optional);
  if (table == nullptr) return;
  TableReader reader(*table, place_of(*table), "knots of " + of, file.problems());
  for (const kernels::KnotsField& field : kernels::knots_fields()) {
    const toml::table* one = reader.table(field.name, Presence::optional);
    if (one != nullptr)
      constants.*field.member =
          read_knots(*one, "knots \"" + std::string(field.name) + "\" of " + of, file.problems());
  }
  reader.finish();
}

// The constants of a library that replace the GPU's constants for training; the rest is the same.
kernels::KernelConstants read_library(const toml::table& table, const std::string& of,
                                      kernels::KernelConstants constants, Problems& problems) {
  for (const kernels::KnotsField& field : kernels::knots_fields()) constants.*field.member = {};
  TableReader reader(table, place_of(table), of, problems);
  ignore_remarks(reader);
  const toml::table* own = reader.table("constants", Presence::optional);
  if (own != nullptr)
    read_fields(*own, "constants of " + of, kernels::kernel_constant_fields(), Presence::optional, constants,
                problems);
  read_all_knots(reader, of, constants);
  reader.finish();
  return constants;
}

}  // namespace

static void read_libraries(TableReader& file, kernels::KernelConstants& constants) {
  const toml::table* libraries = file.table("library", Presence::optional);
  if (libraries == nullptr) return;
  TableReader reader(*libraries, place_of(*libraries), "libraries of \"" + constants.name + "\"",
                     file.problems());
  for (std::size_t i = 1; i < ops::kernel_library_names.size(); ++i) {
    const std::string name(ops::kernel_library_names[i]);
    const toml::table* one = reader.table(name, Presence::optional);
    if (one == nullptr) continue;
    kernels::KernelConstants base = constants;
    base.libraries.clear();
    base.library = static_cast<ops::KernelLibrary>(i);
    constants.libraries.push_back(read_library(*one, "library \"" + name + "\"", base, file.problems()));
  }
  reader.finish();
}

KernelFile read_kernel_file(TableReader& file) {
  KernelFile read;
  if (const toml::node* node = file.node("like", Presence::optional)) {
    read.like_place = place_of(*node);
    file.text("like", read.like, Presence::optional);
    file.boolean("other_die", read.is_other_die, Presence::optional);
  }
  const auto fields = kernels::kernel_constant_fields();
  read.spec = read_constants<kernels::KernelConstants>(
      file, fields, read.like.empty() ? Presence::require : Presence::optional);
  if (read.like.empty()) {
    read_all_knots(file, "\"" + read.spec.name + "\"", read.spec);
    read_libraries(file, read.spec);
  } else if (const toml::table* own = file.table("constants", Presence::optional)) {
    for (const auto& field : fields)
      if (own->contains(field.name)) read.own.push_back(field.member);
  }
  file.finish();
  return read;
}

namespace {

struct SlowdownConstants {
  std::string name;
  double sm_per_channel = 0.0, memory_interference = 0.0, sustained_memory = 0.0, collective_floor = 0.0,
         latency_under_load = 0.0;
};
struct SlowdownField {
  const char* name;
  double SlowdownConstants::*member;
  double low, high;
};
constexpr std::array<SlowdownField, 5> slowdown_fields{{
    {"sm_per_channel", &SlowdownConstants::sm_per_channel, 0.0, 64.0},
    {"memory_interference", &SlowdownConstants::memory_interference, 0.0, 1.0},
    {"sustained_memory", &SlowdownConstants::sustained_memory, 0.01, 1.0},
    {"collective_floor", &SlowdownConstants::collective_floor, 0.0, 10.0},
    {"latency_under_load", &SlowdownConstants::latency_under_load, 0.0, 100.0},
}};

}  // namespace

SlowdownFile read_slowdown(TableReader& file) {
  const auto read = read_constants<SlowdownConstants>(file, slowdown_fields);
  file.finish();
  for (const SlowdownField& field : slowdown_fields) {
    const double value = read.*field.member;
    if (value >= field.low && value <= field.high) continue;
    file.problems().error(file.place(),
                          std::string(field.name) + " is out of bounds in \"" + read.name + "\"",
                          "see src/slowdown/contention.hpp for its meaning");
  }
  return {read.name,
          {.sm_per_channel = read.sm_per_channel,
           .memory_interference = read.memory_interference,
           .sustained_memory = read.sustained_memory,
           .collective_floor = read.collective_floor,
           .latency_under_load = read.latency_under_load}};
}

}  // namespace echo::config
