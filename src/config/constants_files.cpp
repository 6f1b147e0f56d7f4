// Fitted constants: kernels, networks and slowdown share one form,
//   [constants] field = { value = 1.2, error = 0.1, source = "..." }
// and the field list of the struct says which numbers there must be.
#include <array>

#include "config/preset_files.hpp"

namespace echo::config {

// The fitted constants of kernels and networks share one form; the field list says which numbers there must
// be.
template <class Constants, class Fields>
static Constants read_constants(TableReader& file, const Fields& fields) {
  Constants constants;
  std::string source, date;
  file.text("name", constants.name);
  file.text("source", source);
  file.text("date", date);
  for (const char* free_text : {"grade", "licence", "fit"}) file.ignore(free_text);
  const toml::table* table = file.table("constants");
  if (table != nullptr) {
    TableReader reader(*table, place_of(*table), "constants of \"" + constants.name + "\"", file.problems());
    for (const auto& field : fields) {
      const toml::node* node = table->get(field.name);
      const toml::table* entry = node != nullptr ? node->as_table() : nullptr;
      if (entry == nullptr) {  // a bare number is as good; a missing one is reported
        reader.real(field.name, {-1e300, 1e300}, constants.*field.member);
        continue;
      }
      reader.ignore(field.name);
      TableReader one(*entry, place_of(*node), "constant \"" + std::string(field.name) + "\"",
                      file.problems());
      one.ignore("error");
      one.ignore("source");
      one.ignore("grade");
      one.ignore("value");
      const toml::node* value = entry->get("value");
      if (value != nullptr && value->is_number()) {
        constants.*field.member = value->template value<double>().value_or(0.0);
      } else {
        file.problems().error(place_of(*node), "constant \"" + std::string(field.name) + "\" has no number",
                              "write { value = ..., source = \"...\" }");
      }
      one.finish();
    }
    reader.finish();
  }
  file.finish();
  return constants;
}

profile::KernelConstants read_kernel_constants(TableReader& file) {
  return read_constants<profile::KernelConstants>(file, profile::kernel_constant_fields());
}

collective::NetworkConstants read_network_constants(TableReader& file) {
  return read_constants<collective::NetworkConstants>(file, collective::network_constant_fields());
}

namespace {

struct SlowdownConstants {
  std::string name;
  double sm_per_channel = 0.0, memory_interference = 0.0, sustained_memory = 0.0, collective_floor = 0.0;
};
struct SlowdownField {
  const char* name;
  double SlowdownConstants::*member;
  double low, high;
};
constexpr std::array<SlowdownField, 4> slowdown_fields{{
    {"sm_per_channel", &SlowdownConstants::sm_per_channel, 0.0, 64.0},
    {"memory_interference", &SlowdownConstants::memory_interference, 0.0, 1.0},
    {"sustained_memory", &SlowdownConstants::sustained_memory, 0.01, 1.0},
    {"collective_floor", &SlowdownConstants::collective_floor, 0.0, 10.0},
}};

}  // namespace

SlowdownFile read_slowdown(TableReader& file) {
  const auto read = read_constants<SlowdownConstants>(file, slowdown_fields);
  for (const SlowdownField& field : slowdown_fields) {
    const double value = read.*field.member;
    if (value >= field.low && value <= field.high) continue;
    file.problems().error(file.place(),
                          std::string(field.name) + " is out of bounds in \"" + read.name + "\"",
                          "see src/slowdown/model.hpp for what it means");
  }
  return {read.name,
          {.sm_per_channel = read.sm_per_channel,
           .memory_interference = read.memory_interference,
           .sustained_memory = read.sustained_memory,
           .collective_floor = read.collective_floor}};
}

}  // namespace echo::config
