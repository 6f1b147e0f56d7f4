#include "config/sweep_file/what_if_reader.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/at.hpp"
#include "base/named_table.hpp"
#include "config/toml/did_you_mean.hpp"

namespace echo::config {
namespace {

using simulate::HardwareField;
using simulate::HardwareKind;

// The tables of [what_if].
struct Section {
  std::string_view all, named;  // gpu.FIELD, gpus.NAME.FIELD
  HardwareKind kind;
};
constexpr std::array<Section, 2> sections{
    {{"gpu", "gpus", HardwareKind::gpu}, {"cluster", "clusters", HardwareKind::cluster}}};

UnitKind unit_of(simulate::Measure measure) {
  switch (measure) {
    case simulate::Measure::bytes:
      return UnitKind::bytes;
    case simulate::Measure::bytes_per_second:
      return UnitKind::bytes_per_second;
    case simulate::Measure::flops_per_second:
      return UnitKind::flops_per_second;
    case simulate::Measure::seconds:
      break;
  }
  return UnitKind::duration;
}

std::vector<std::string> field_names(HardwareKind kind) {
  std::vector<std::string> names;
  for (const HardwareField& field : simulate::hardware_fields())
    if (field.kind == kind) names.emplace_back(field.name);
  return names;
}

std::vector<std::string> preset_names(HardwareKind kind, const simulate::Catalog& catalog) {
  std::vector<std::string> names;
  if (kind == HardwareKind::gpu)
    for (const machine::GpuSpec& gpu : catalog.gpus) names.push_back(gpu.name);
  else
    for (const machine::ClusterSpec& cluster : catalog.clusters) names.push_back(cluster.name);
  return names;
}

struct Amount {
  double number = 0.0;
  bool is_factor = false;
};

// "x1.5"; nothing where it is not one.
std::optional<double> factor_in(std::string_view text) {
  if (text.empty() || text.front() != 'x') return std::nullopt;
  double factor = 0.0;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data() + 1, end, factor);
  if (failed != std::errc() || rest != end) return std::nullopt;
  return factor;
}

class WhatIfReader {
 public:
  WhatIfReader(const simulate::Catalog& catalog, Problems& problems)
      : catalog_(catalog), problems_(problems) {}

  void read(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (table == nullptr)
      return problems_.error(place_of(node), "what_if must be a table, not " + type_of(node),
                             "write [what_if.cluster] and nic_rate = \"800 Gb/s\"");
    for (const Entry& entry : in_file_order(*table)) {
      const std::string_view key = entry.key->str();
      const auto section = std::ranges::find_if(
          sections, [&](const Section& one) { return one.all == key || one.named == key; });
      if (section == sections.end()) {
        problems_.error(place_of(*entry.key), "unknown key \"" + std::string(key) + "\" in what_if",
                        suggest(key, {"gpu", "cluster", "gpus", "clusters"}, "keys"));
      } else if (section->all == key) {
        read_fields(*entry.node, *section, "");
      } else {
        read_named(*entry.node, *section);
      }
    }
  }
  std::vector<std::string> said;
  [[nodiscard]] std::vector<HardwareChange> changes() const {
    std::vector<HardwareChange> all;
    for (const auto& [key, change] : changes_) all.push_back(change);
    return all;
  }

 private:
  [[nodiscard]] const toml::table* table_in(const toml::node& node, const std::string& what) {
    const toml::table* table = node.as_table();
    if (table == nullptr)
      problems_.error(place_of(node), "what_if." + what + " must be a table, not " + type_of(node),
                      "write what_if." + what + ".FIELD = \"x1.5\"");
    return table;
  }

  void read_named(const toml::node& node, const Section& section) {
    const toml::table* table = table_in(node, std::string(section.named));
    if (table == nullptr) return;
    for (const Entry& entry : in_file_order(*table)) {
      const std::string name(entry.key->str());
      const std::vector<std::string> known = preset_names(section.kind, catalog_);
      if (std::ranges::find(known, name) == known.end()) {
        problems_.error(place_of(*entry.key), "unknown " + std::string(section.all) + " \"" + name + "\"",
                        suggest(name, known, "known"));
        continue;
      }
      read_fields(*entry.node, section, name);
    }
  }

  // Reads the fields of the preset of this name; of all presets where it is empty.
  void read_fields(const toml::node& node, const Section& section, const std::string& name) {
    const toml::table* table =
        table_in(node, name.empty() ? std::string(section.all) : std::string(section.named) + "." + name);
    if (table == nullptr) return;
    for (const Entry& entry : in_file_order(*table)) {
      const std::string key(entry.key->str());
      const HardwareField* const field = simulate::find_hardware_field(section.kind, key);
      if (field == nullptr) {
        refuse_field(*entry.key, section);
        continue;
      }
      const auto amount = amount_of(*entry.node, *field);
      if (!amount) continue;
      add(*field, *amount, name, place_of(*entry.node));
      said.push_back((name.empty() ? std::string(section.all) : std::string(section.named) + "." + name) +
                     "." + std::string(field->name) + "=" + entry.node->as_string()->get());
    }
  }

  void refuse_field(const toml::key& key, const Section& section) {
    const std::string name(key.str());
    const std::vector<std::string> known = field_names(section.kind);
    std::string list, remedy;
    for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
    for (const Section& other : sections)
      if (const auto* field = simulate::find_hardware_field(other.kind, name))
        remedy = "it is a field of a " + std::string(other.all) + ": " + std::string(other.all) + "." +
                 std::string(field->name);
    if (const std::string near = closest(name, known); remedy.empty() && !near.empty())
      remedy = "did you mean \"" + near + "\"?";
    problems_.error(
        place_of(key), "a what-if cannot change \"" + name + "\" of a " + std::string(section.all),
        (remedy.empty() ? "" : remedy + "; ") + "fields of a " + std::string(section.all) + ": " + list);
  }

  [[nodiscard]] std::optional<Amount> amount_of(const toml::node& node, const HardwareField& field) {
    const std::string name(field.name);
    const UnitKind unit = unit_of(field.measure);
    const std::string example = "; a factor on the preset's value is \"x1.5\"";
    if (!node.is_string()) {
      if (node.is_number()) {
        problems_.error(place_of(node), missing_unit("", unit, name).what,
                        "write " + example_of(unit) + example);
      } else {
        problems_.error(place_of(node), name + " must be a string with a unit, not " + type_of(node),
                        "write " + example_of(unit) + example);
      }
      return std::nullopt;
    }
    const std::string& text = node.as_string()->get();
    Amount amount;
    if (const auto factor = factor_in(text)) {
      amount = {*factor, true};
    } else {
      UnitProblem problem;
      const auto value = parse_quantity(text, unit, name, problem);
      if (!value) {
        problems_.error(place_of(node), problem.what, problem.remedy + example);
        return std::nullopt;
      }
      amount = {static_cast<double>(*value), false};
    }
    constexpr double least = 1e-3, most = 1e3;  // of a factor
    const bool is_fine = amount.is_factor ? amount.number >= least && amount.number <= most
                                          : amount.number > 0.0 && amount.number < 1e300;
    if (is_fine) return amount;
    problems_.error(place_of(node), name + " = \"" + text + "\" is out of range",
                    amount.is_factor ? "a factor is from x0.001 to x1000" : "a what-if is more than 0");
    return std::nullopt;
  }

  void add(const HardwareField& field, const Amount& amount, const std::string& name, const Place& place) {
    const std::vector<std::string> presets = preset_names(field.kind, catalog_);
    for (std::size_t preset = 0; preset < presets.size(); ++preset) {
      if (!name.empty() && presets[preset] != name) continue;
      const double was = field.get(catalog_, preset);
      HardwareChange change{.field = &field,
                            .preset = preset,
                            .name = presets[preset],
                            .is_named = !name.empty(),
                            .is_factor = amount.is_factor,
                            .was = was,
                            .is = amount.is_factor ? was * amount.number : amount.number,
                            .place = place};
      const auto [there, is_new] = changes_.emplace(std::pair(field.name, preset), change);
      if (is_new || there->second.is_named == change.is_named) {
        if (!is_new)
          problems_.error(place, std::string(field.name) + " of " + presets[preset] + " is given twice",
                          "keep one of the two");
      } else if (change.is_named) {
        there->second = change;
      }
    }
  }

  const simulate::Catalog& catalog_;
  Problems& problems_;
  std::map<std::pair<std::string_view, std::size_t>, HardwareChange> changes_;
};

// Presets of one kind that points of the sweep have.
std::set<std::string> used_presets(HardwareKind kind, const sweep::SweepSpec& spec,
                                   const simulate::Catalog& catalog) {
  std::set<std::string> used;
  const auto see = [&](const std::vector<sweep::Dimension>& dimensions) {
    std::set<std::string> gpus, clusters;
    for (const sweep::Dimension& dimension : dimensions)
      for (const sweep::AxisColumn& column : dimension.columns)
        for (const sweep::AxisValue& value : column.values) {
          if (column.axis == sweep::Axis::gpu) gpus.insert(value.text);
          if (column.axis == sweep::Axis::cluster) clusters.insert(value.text);
        }
    if (gpus.empty())
      for (const std::string& name : clusters)
        if (const std::int32_t at_cluster = find_named(catalog.clusters, name); at_cluster >= 0)
          gpus.insert(catalog.gpus[at(catalog.clusters[at(at_cluster)].gpu)].name);
    used.merge(kind == HardwareKind::gpu ? gpus : clusters);
  };
  if (spec.groups.empty()) see(spec.dimensions);
  for (const sweep::SubSpace& group : spec.groups) see(group.dimensions);
  return used;
}

bool is_of_own_fabric(const HardwareChange& change, const simulate::Catalog& catalog) {
  return change.field->is_of_a_fabric && catalog.clusters[change.preset].given.graph.gpus > 0;
}

}  // namespace

WhatIfs apply_what_ifs(const toml::table& root, simulate::Catalog& catalog,
                       simulate::Calibration& calibration, Problems& problems) {
  const toml::node* const node = root.get("what_if");
  if (node == nullptr) return {};
  WhatIfReader reader(catalog, problems);
  reader.read(*node);
  WhatIfs read{reader.changes(), reader.said};
  for (const HardwareChange& change : read.changes)
    if (change.is > 0.0 && !is_of_own_fabric(change, catalog))
      simulate::change_hardware(*change.field, change.preset, change.is, catalog, calibration);
  return read;
}

void check_what_ifs(const std::vector<HardwareChange>& changes, const sweep::SweepSpec& spec,
                    const simulate::Catalog& catalog, Problems& problems) {
  for (const HardwareChange& change : changes) {
    const std::set<std::string> used = used_presets(change.field->kind, spec, catalog);
    const std::string what = std::string(change.field->name) + " of " + change.name;
    const bool is_used = used.contains(change.name), is_gpu = change.field->kind == HardwareKind::gpu;
    if (!is_used && change.is_named) {
      std::string list;
      for (const std::string& one : used) list += (list.empty() ? "" : ", ") + one;
      problems.error(change.place, "no point of the space has " + change.name, "the space has: " + list);
    }
    if (!is_used) continue;
    if (change.is_factor && change.was <= 0.0)
      problems.error(change.place, what + " is not known, so a factor says nothing",
                     "give a value with its unit");
    if (is_of_own_fabric(change, catalog))
      problems.error(change.place, change.name + " has a fabric that is given link by link",
                     "change the rates in its topology_file");
    if (is_gpu && change.field->is_speed && change.is != change.was && !spec.workload.trace.empty())
      problems.error(change.place, "a traced step has no kernels of a GPU that is changed",
                     "change the cluster only, or generate the step from a model");
    if (is_gpu && change.field->is_speed && change.is != change.was && !spec.profiles.empty())
      problems.error(change.place, "measured kernels are not those of a GPU that is changed",
                     "leave [simulate] profiles out");
  }
}

toml::table what_if_values(const std::vector<HardwareChange>& changes, const sweep::SweepSpec& spec,
                           const simulate::Catalog& catalog) {
  toml::table values;
  for (const HardwareChange& change : changes) {
    if (!used_presets(change.field->kind, spec, catalog).contains(change.name)) continue;
    const auto [preset, is_new] = values.emplace<toml::table>(change.name);
    preset->second.as_table()->insert_or_assign(change.field->name,
                                                toml::table{{"preset", change.was}, {"what_if", change.is}});
  }
  return values;
}

void apply_what_ifs_again(const std::string& resolved_toml, simulate::Catalog& catalog,
                          simulate::Calibration& calibration) {
  Problems problems;
  const auto root = parse_toml(resolved_toml, "the sweep of the file", problems);
  if (root) (void)apply_what_ifs(*root, catalog, calibration, problems);
  problems.throw_if_any();
}

}  // namespace echo::config
