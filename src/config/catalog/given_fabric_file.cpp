// Reads a fabric given link by link:
//   switches = ["left", "right"]
//   [[link]]
//   between = ["gpu 0-7", "left"]   # a link from each GPU to the switch
//   bandwidth = "400 Gb/s"          # one direction
//   latency = "130 ns"              # latency of the switch it enters; default: the cluster's hop latency
// GPUs, their domains and the scale-up network are those of the cluster, whose `nodes` says how many there
// are. Checked: names, bandwidths, that every two GPUs can reach each other, by way of switches or of NVLink.
#include <toml++/toml.h>

#include <charconv>
#include <filesystem>
#include <map>

#include "config/catalog/cluster_fabric.hpp"
#include "config/toml/did_you_mean.hpp"
#include "config/toml/read_file.hpp"
#include "machine/graph_parts.hpp"
#include "network/given_fabric.hpp"
#include "network/routing.hpp"

namespace echo::config {
namespace {

using machine::LinkPlace;
using machine::NetworkGraph;

constexpr std::int32_t most_gpus = 4096;  // every pair is routed once

struct Vertices {
  std::int32_t first = 0, last = 0;  // both counted
};

class FabricReader {
 public:
  FabricReader(const machine::ClusterSpec& cluster, Problems& problems)
      : cluster_(cluster), problems_(problems) {}

  // Nothing where a problem was found.
  std::optional<NetworkGraph> read(const toml::table& root, const std::string& path) {
    const int before = problems_.errors();
    machine::add_switched_domains(
        cluster_, cluster_.nodes * cluster_.gpus_per_node / machine::domain_of(cluster_), graph_);
    TableReader file(root, {path, 1, 1, 1}, "a fabric", problems_);
    if (const toml::node* list = file.node("switches", Presence::require)) name_switches(*list);
    if (const toml::node* list = file.node("link", Presence::require))
      for (const toml::table* one : tables_in(*list, "link", problems_)) add_link(*one);
    file.finish();
    if (problems_.errors() > before) return std::nullopt;
    graph_.index_links();
    check_reach({path, 1, 1, 1});
    if (problems_.errors() > before) return std::nullopt;
    return std::move(graph_);
  }

 private:
  void name_switches(const toml::node& node) {
    const toml::array* list = node.as_array();
    if (list == nullptr) {
      problems_.error(place_of(node), "switches must be a list of names", "write [\"left\", \"right\"]");
      return;
    }
    for (const toml::node& one : *list) {
      const auto* name = one.as_string();
      if (name == nullptr || name->get().empty() || name->get().starts_with("gpu")) {
        problems_.error(place_of(one), "a switch needs a name that does not begin with gpu",
                        "gpu 0 is a GPU of the machine");
      } else if (!switches_.emplace(name->get(), graph_.vertices).second) {
        problems_.error(place_of(one), "two switches have the name \"" + name->get() + "\"",
                        "rename one of them");
      } else {
        graph_.add_vertex();
      }
    }
  }

  void add_link(const toml::table& table) {
    TableReader reader(table, place_of(table), "a link", problems_);
    double bandwidth = 1.0, latency = to_seconds(cluster_.scale_out.latency);
    reader.quantity("bandwidth", UnitKind::bytes_per_second, positive, bandwidth);
    reader.quantity("latency", UnitKind::duration, {0.0, 1e6}, latency, Presence::optional);
    const toml::node* between = reader.node("between", Presence::require);
    reader.finish();
    if (between == nullptr) return;
    const toml::array* ends = between->as_array();
    if (ends == nullptr || ends->size() != 2) {
      problems_.error(place_of(*between), "between must name two ends", "write [\"gpu 0-7\", \"left\"]");
      return;
    }
    const auto a = vertices(*ends->get(0)), b = vertices(*ends->get(1));
    if (!a || !b) return;
    if (b->first < graph_.gpus) {
      problems_.error(place_of(*ends->get(1)), "the second end must be a switch",
                      "GPUs of a node are already connected by the cluster's scale-up network");
      return;
    }
    for (std::int32_t v = a->first; v <= a->last; ++v) {
      if (v == b->first) {
        problems_.error(place_of(*between), "a switch is connected to itself", "name another switch");
      } else if (v < graph_.gpus) {
        graph_.hang(v, b->first, BytesPerSecond(bandwidth), from_seconds(latency), LinkPlace::nic);
      } else {
        graph_.join(v, b->first, BytesPerSecond(bandwidth), from_seconds(latency), LinkPlace::leaf);
      }
    }
  }

  // "left", "gpu 3" or "gpu 0-7".
  std::optional<Vertices> vertices(const toml::node& node) {
    const auto* text = node.as_string();
    if (text == nullptr) {
      problems_.error(place_of(node), "an end of a link must be a name, not " + type_of(node),
                      "write \"gpu 0-7\" or a switch");
      return std::nullopt;
    }
    const std::string& name = text->get();
    if (const auto found = switches_.find(name); found != switches_.end())
      return Vertices{found->second, found->second};
    Vertices gpus;
    if (name.starts_with("gpu ") && gpu_range(name.substr(4), gpus)) {
      if (gpus.first <= gpus.last && gpus.last < graph_.gpus) return gpus;
      problems_.error(place_of(node), "\"" + name + "\" are not in the machine",
                      "its GPUs are 0 to " + std::to_string(graph_.gpus - 1));
      return std::nullopt;
    }
    std::vector<std::string> known;
    for (const auto& [known_name, vertex] : switches_) known.push_back(known_name);
    problems_.error(place_of(node), "there is no \"" + name + "\"", suggest(name, known, "switches"));
    return std::nullopt;
  }

  static bool gpu_range(std::string_view text, Vertices& out) {
    const std::size_t dash = text.find('-');
    const auto number = [](std::string_view part, std::int32_t& to) {
      const auto [end, failed] = std::from_chars(part.data(), part.data() + part.size(), to);
      return failed == std::errc() && end == part.data() + part.size() && to >= 0;
    };
    if (!number(text.substr(0, dash), out.first)) return false;
    out.last = out.first;
    return dash == std::string_view::npos || number(text.substr(dash + 1), out.last);
  }

  void check_reach(const Place& place) {
    network::Router router(graph_, machine::Routing::minimal);
    for (std::int32_t gpu = 0; gpu < graph_.gpus; ++gpu) {
      if (router.reaches(0, gpu) && router.reaches(gpu, 0)) continue;
      problems_.error(place, "gpu 0 and gpu " + std::to_string(gpu) + " cannot reach each other",
                      "connect them by switches, or by a GPU of the same domain");
      return;
    }
  }

  const machine::ClusterSpec& cluster_;
  Problems& problems_;
  NetworkGraph graph_;
  std::map<std::string, std::int32_t> switches_;
};

}  // namespace

void read_given_fabric(ClusterFile& cluster, const std::vector<std::string>& folders,
                       std::vector<InputFile>& files, Problems& problems) {
  const auto beside = std::filesystem::path(cluster.fabric_place.file).parent_path();
  std::vector<std::filesystem::path> places{beside / cluster.fabric_path};
  for (const std::string& folder : folders)
    places.push_back(std::filesystem::path(folder) / "fabrics" / cluster.fabric_path);
  std::optional<std::string> found;
  std::string path;
  for (const auto& place : places) {
    if (found) break;
    path = place.lexically_normal().string();
    found = read_whole_file(path);
  }
  if (!found) {
    problems.error(cluster.fabric_place, "the file \"" + cluster.fabric_path + "\" cannot be read",
                   "put it next to the cluster's file, or into fabrics/ of a catalog");
    return;
  }
  files.push_back({"preset", path, fingerprint(*found)});
  const std::int64_t gpus = std::int64_t{cluster.spec.nodes} * cluster.spec.gpus_per_node;
  if (gpus == 0 || gpus > most_gpus || gpus % machine::domain_of(cluster.spec) != 0) {
    problems.error(cluster.fabric_place,
                   "a fabric from a file needs `nodes` with 1 to 4096 GPUs in whole domains",
                   "give the number of nodes that the file connects");
    return;
  }
  const auto root = parse_toml(*found, path, problems);
  if (!root) return;
  if (auto graph = FabricReader(cluster.spec, problems).read(*root, path))
    cluster.spec.given = network::rate_fabric(std::move(*graph), cluster.spec.routing);
}

}  // namespace echo::config
