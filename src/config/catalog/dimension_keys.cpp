#include "config/catalog/dimension_keys.hpp"

#include <toml++/toml.h>

#include <array>
#include <cmath>
#include <filesystem>

#include "base/at.hpp"
#include "machine/given_algorithms.hpp"
#include "machine_files/program_file.hpp"

namespace echo::config {
namespace {

using machine::GivenDimension;
using machine::GivenMachine;

template <std::size_t n>
std::vector<std::string> words(const std::array<std::string_view, n>& names) {
  return {names.begin(), names.end()};
}

std::int32_t count(TableReader& reader, std::string_view key, Range range, std::int32_t otherwise,
                   Presence presence = Presence::optional) {
  std::int64_t value = otherwise;
  reader.integer(key, range, value, presence);
  return static_cast<std::int32_t>(value);
}

SimTime duration(TableReader& reader, std::string_view key, Presence presence) {
  double seconds = 0.0;
  reader.quantity(key, UnitKind::duration, {0.0, 1.0}, seconds, presence);
  return from_seconds(seconds);
}

template <class Enum, std::size_t n>
Enum choice(TableReader& reader, std::string_view key, const std::array<std::string_view, n>& names,
            Presence presence = Presence::optional) {
  int value = 0;
  reader.choice(key, words(names), value, presence);
  return static_cast<Enum>(value);
}

// ASTRA-sim stops at these; to replace the algorithm would price what nobody asked for.
void check_algorithm(TableReader& reader, std::string_view key, machine::ChosenCollective collective,
                     const machine::AlgorithmChoice& choice, const GivenDimension& d) {
  using enum machine::DimensionAlgorithm;
  const auto wrong = [&](const std::string& what, const std::string& remedy) {
    const toml::node* const node = reader.node(key, Presence::optional);
    reader.problems().error(node == nullptr ? reader.place() : place_of(*node), what, remedy);
  };
  const std::string name(machine::dimension_algorithm_names[at(choice.algorithm)]);
  if (!machine::does(choice.algorithm, collective)) {
    if (choice.algorithm == double_binary_tree)
      wrong("double_binary_tree does all_reduce only", "write ring, direct or halving_doubling");
    else
      wrong(name + " does no all_to_all", "write ring or direct");
  }
  if (!machine::fits(choice.algorithm, d.size))
    wrong(name + " needs a power of two of GPUs, and the dimension has " + std::to_string(d.size),
          "write ring or direct");
  if (choice.window > 0 && choice.algorithm != direct)
    wrong("a window belongs to direct", "remove " + std::string(key) + "_window, or write direct");
}

GivenDimension read_dimension(const toml::table& table, std::size_t number, const std::string& cluster,
                              Problems& problems) {
  TableReader reader(table, place_of(table),
                     "dimension " + std::to_string(number + 1) + " of cluster \"" + cluster + "\"", problems);
  GivenDimension d;
  d.kind = choice<machine::DimensionKind>(reader, "kind", machine::dimension_kind_names, Presence::require);
  d.size = count(reader, "size", {2, 1048576}, 2, Presence::require);
  double rate = 1.0;
  reader.quantity("link_one_way", UnitKind::bytes_per_second, positive, rate);
  d.link = BytesPerSecond(rate);
  d.link_latency = duration(reader, "link_latency", Presence::require);
  for (std::size_t i = 0; i < machine::chosen_collective_names.size(); ++i) {
    const std::string key(machine::chosen_collective_names[i]);
    d.algorithm[i].algorithm =
        choice<machine::DimensionAlgorithm>(reader, key, machine::dimension_algorithm_names);
    d.algorithm[i].window = count(reader, key + "_window", {0, 1048576}, 0);
    check_algorithm(reader, key, static_cast<machine::ChosenCollective>(i), d.algorithm[i], d);
  }
  reader.finish();
  return d;
}

// A file beside the cluster's own, with the collective that it does.
void read_programs(TableReader& reader, const std::string& cluster, GivenMachine& out) {
  const toml::node* const node = reader.node("programs", Presence::optional);
  if (node == nullptr) return;
  for (const toml::table* table : tables_in(*node, "programs", reader.problems())) {
    TableReader own(*table, place_of(*table), "programs of cluster \"" + cluster + "\"", reader.problems());
    const int before = reader.problems().errors();
    std::string path;
    own.text("file", path);
    const auto collective = choice<machine::ChosenCollective>(
        own, "collective", machine::chosen_collective_names, Presence::require);
    double bytes = 0.0;
    const bool is_sized = own.quantity("bytes", UnitKind::bytes, positive, bytes, Presence::optional);
    own.finish();
    if (reader.problems().errors() > before) continue;
    const std::filesystem::path folder = std::filesystem::path(own.place().file).parent_path();
    try {
      out.programs.push_back(
          machine_files::read_program((folder / path).string(), collective, reader.problems()));
      if (is_sized) out.programs.back().bytes = std::llround(bytes);
    } catch (const UserError& error) {  // of the reader of Chakra's files
      for (const Problem& one : error.problems()) reader.problems().error(one.place, one.what, one.remedy);
    }
  }
}

void read_collectives(const toml::table& table, const std::string& cluster, Problems& problems,
                      GivenMachine& out) {
  TableReader reader(table, place_of(table), "collectives of cluster \"" + cluster + "\"", problems);
  out.chunks = count(reader, "chunks", {0, 1024}, 0);
  out.active_chunks = count(reader, "active_chunks", {1, 1024}, 1);
  out.order = choice<machine::ChunkOrder>(reader, "chunk_order", machine::chunk_order_names);
  out.sharing = choice<machine::LinkSharing>(reader, "congestion", machine::link_sharing_names);
  constexpr std::array<std::string_view, 2> queues{"fifo", "lifo"};
  out.lifo = choice<int>(reader, "queue", queues) == 1;
  reader.boolean("whole_all_reduce", out.whole_all_reduce, Presence::optional);
  out.endpoint_delay = duration(reader, "endpoint_delay", Presence::optional);
  double memory = 0.0;
  reader.quantity("reduction_memory_bandwidth", UnitKind::bytes_per_second, not_negative, memory,
                  Presence::optional);
  out.reduction_memory = BytesPerSecond(memory);
  read_programs(reader, cluster, out);
  reader.finish();
}

// Where the dimensions and what the file says of nodes do not agree.
void check_sizes(TableReader& file, const Place& place, machine::ClusterSpec& cluster) {
  constexpr std::int64_t most_gpus = 100'000'000;
  std::int64_t gpus = 1;
  bool ends = cluster.scale_up_domain == 1;
  for (const GivenDimension& d : cluster.dimensions.dimensions) {
    gpus *= d.size;
    ends = ends || gpus == cluster.scale_up_domain;
    if (gpus <= most_gpus) continue;
    file.problems().error(place,
                          "the dimensions of cluster \"" + cluster.name + "\" hold more than " +
                              std::to_string(most_gpus) + " GPUs",
                          "give smaller sizes");
    return;
  }
  if (!ends)
    file.problems().error(place,
                          "no dimension of cluster \"" + cluster.name +
                              "\" ends at scale_up_domain = " + std::to_string(cluster.scale_up_domain),
                          "write 1, or the product of the sizes of the first dimensions");
  const std::int64_t nodes = cluster.nodes;
  if (cluster.gpus_per_node < 1 || gpus % cluster.gpus_per_node != 0 ||
      (nodes > 0 && nodes * cluster.gpus_per_node != gpus)) {
    file.problems().error(place,
                          "the dimensions of cluster \"" + cluster.name + "\" hold " + std::to_string(gpus) +
                              " GPUs, its nodes do not",
                          "write nodes = 0, and gpus_per_node that divides them");
    return;
  }
  cluster.nodes = static_cast<std::int32_t>(gpus / cluster.gpus_per_node);
}

}  // namespace

void read_dimension_keys(TableReader& file, ClusterFile& read) {
  machine::ClusterSpec& cluster = read.spec;
  const toml::node* const node = file.node("dimensions", Presence::optional);
  const toml::table* const rules = file.table("collectives", Presence::optional);
  if (rules != nullptr) read_collectives(*rules, cluster.name, file.problems(), cluster.dimensions);
  if (node == nullptr) {
    if (rules != nullptr)
      file.problems().error(
          place_of(*rules),
          "[collectives] of cluster \"" + cluster.name + "\" applies to machines given by dimensions",
          "give dimensions, or remove it");
    cluster.dimensions = {};
    return;
  }
  constexpr std::size_t most_dimensions = 16;
  const auto tables = tables_in(*node, "dimensions", file.problems());
  if (tables.size() > most_dimensions) {
    file.problems().error(place_of(*node), "a machine has " + std::to_string(tables.size()) + " dimensions",
                          "give at most 16");
    return;
  }
  for (std::size_t i = 0; i < tables.size(); ++i)
    cluster.dimensions.dimensions.push_back(read_dimension(*tables[i], i, cluster.name, file.problems()));
  if (!tables.empty()) check_sizes(file, place_of(*node), cluster);
}

}  // namespace echo::config
