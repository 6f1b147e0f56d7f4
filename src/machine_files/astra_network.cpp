// Source: common/network-parser/NetworkParser.cpp of astra-network-analytical 599a047, which has Ring, Switch
// and FullyConnected; its lists have one member for each dimension, from the GPU outwards. Mesh and Torus are
// names of other versions: a dimension of a mesh is a ring without its last cable, one of a torus a ring.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "launch_flags/readers/readers.hpp"
#include "machine_files/astra_machine.hpp"
#include "machine_files/setting_words.hpp"

namespace echo::machine_files {
namespace {

using launch_flags::Setting;
using launch_flags::Settings;
using machine::DimensionKind;

struct Topology {
  std::string_view name;
  DimensionKind kind;
  bool is_square = false;  // two dimensions
};
constexpr std::array<Topology, 8> topologies{{{"Ring", DimensionKind::ring},
                                              {"Switch", DimensionKind::switched},
                                              {"FullyConnected", DimensionKind::fully_connected},
                                              {"Mesh", DimensionKind::line},
                                              {"Torus", DimensionKind::ring},
                                              {"Line", DimensionKind::line},
                                              {"Torus2D", DimensionKind::ring, true},
                                              {"Mesh2D", DimensionKind::line, true}}};
constexpr std::array<std::string_view, 4> keys{"topology", "npus_count", "bandwidth", "latency"};
constexpr std::size_t most_dimensions = 16;
constexpr double most_npus = 1 << 20, most_rate = 1e12, most_latency = 1e9;

struct Limits {
  double least, most;
  bool whole;
  const char* what;
};

class NetworkReader {
 public:
  NetworkReader(const std::string& text, const std::string& file, Problems& problems)
      : text_(text), file_(file), problems_(problems) {}

  AstraMachine read() {
    const int before = problems_.errors();
    const Settings settings = launch_flags::read_yaml(text_, file_, problems_);
    if (problems_.errors() > before) return {};
    std::array<std::vector<PlacedWord>, keys.size()> lists;
    for (std::size_t i = 0; i < keys.size(); ++i) lists[i] = list(settings, keys[i]);
    check_lengths(lists);
    const std::vector<double> sizes =
        numbers(lists[1], {2.0, most_npus, true, "a number of GPUs of a dimension, 2 to 1048576"});
    const std::vector<double> rates =
        numbers(lists[2], {1e-9, most_rate, false, "a bandwidth in GB/s, more than 0"});
    const std::vector<double> latencies =
        numbers(lists[3], {0.0, most_latency, false, "a latency in ns, 0 or more"});
    AstraMachine out;
    const std::vector<Topology> kinds = read_topologies(lists[0]);
    if (problems_.errors() == before)
      for (std::size_t i = 0; i < kinds.size(); ++i)
        add(kinds[i], lists[1][i], sizes[i], rates[i], latencies[i], out.machine);
    for (const Setting& one : settings)
      if (std::ranges::find(keys, one.key) == keys.end())
        out.notes.push_back("\"" + one.key + "\" of the network is not taken over");
    return out;
  }

 private:
  std::vector<PlacedWord> list(const Settings& settings, std::string_view key) {
    const Setting* const found = find(settings, key);
    if (found != nullptr && !found->value.empty()) return words_of(*found, text_);
    problems_.error(found == nullptr ? Place{file_, 1, 1, 1} : found->place,
                    "the network has no " + std::string(key),
                    "write " + std::string(key) + ": [ ... ], one for each dimension");
    return {};
  }
  void check_lengths(const std::array<std::vector<PlacedWord>, keys.size()>& lists) {
    const std::size_t dimensions = lists[0].size();
    if (dimensions > most_dimensions)
      problems_.error(lists[0][most_dimensions].place,
                      "the network has " + std::to_string(dimensions) + " dimensions", "give at most 16");
    for (std::size_t i = 1; i < keys.size(); ++i)
      if (dimensions > 0 && !lists[i].empty() && lists[i].size() != dimensions)
        problems_.error(lists[i].front().place,
                        std::string(keys[i]) + " has " + std::to_string(lists[i].size()) +
                            " members, topology " + std::to_string(dimensions),
                        "give one for each dimension");
  }
  std::vector<double> numbers(const std::vector<PlacedWord>& words, const Limits& limits) {
    std::vector<double> out;
    for (const PlacedWord& word : words) {
      const auto value = number_of(word.text);
      const bool fits = value && *value >= limits.least && *value <= limits.most &&
                        (!limits.whole || *value == std::floor(*value));
      if (!fits) problems_.error(word.place, "\"" + word.text + "\" is not " + limits.what, "correct it");
      out.push_back(value.value_or(0.0));
    }
    return out;
  }
  std::vector<Topology> read_topologies(const std::vector<PlacedWord>& words) {
    std::vector<Topology> out;
    for (const PlacedWord& word : words) {
      const auto* const found = std::ranges::find(topologies, word.text, &Topology::name);
      if (found != topologies.end())
        out.push_back(*found);
      else
        problems_.error(word.place, "\"" + word.text + "\" is not a topology of a dimension",
                        "write Ring, Switch, FullyConnected, Mesh, Torus, Mesh2D or Torus2D");
    }
    return out;
  }
  void add(const Topology& topology, const PlacedWord& word, double size, double rate, double latency,
           machine::GivenMachine& out) {
    machine::GivenDimension d;
    d.kind = topology.kind;
    d.size = static_cast<std::int32_t>(size);
    d.link = BytesPerSecond(rate * astra_gigabyte);
    d.link_latency = from_seconds(latency * 1e-9);
    if (topology.is_square) {
      d.size = static_cast<std::int32_t>(std::lround(std::sqrt(size)));
      if (std::int64_t{d.size} * d.size != static_cast<std::int64_t>(size) || d.size < 2)
        problems_.error(word.place, word.text + " GPUs are no square of 2 or more",
                        "a " + std::string(topology.name) + " has as many rows as columns");
      out.dimensions.push_back(d);
    }
    out.dimensions.push_back(d);
  }

  const std::string& text_;
  const std::string& file_;
  Problems& problems_;
};

}  // namespace

AstraMachine read_astra_network(const std::string& text, const std::string& file, Problems& problems) {
  return NetworkReader(text, file, problems).read();
}

}  // namespace echo::machine_files
