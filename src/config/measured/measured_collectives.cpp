// A row names a GPU, a network in words, and a shape. The GPU's generic cluster gives the node; the words
// give number and rate of its NICs and how they are driven, which chooses between the network constants of
// the catalog. Facts missing from the text come from the generic cluster and are reported.
#include "config/measured/measured_collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/named_table.hpp"
#include "config/measured/every_row.hpp"
#include "config/measured/fabric_words.hpp"
#include "machine/topology.hpp"

namespace echo::config {
namespace {

using machine::ClusterSpec;
using ops::CollectiveKind;

bool kind_of(std::string_view name, CollectiveKind& kind) {
  std::string plain = upper_letters(name);
  if (plain.ends_with("PERF")) plain.resize(plain.size() - 4);
  for (std::size_t i = 0; i <= static_cast<std::size_t>(CollectiveKind::send_recv); ++i)
    if (plain == upper_letters(ops::collective_kind_names.at(i)))
      return kind = static_cast<CollectiveKind>(i), true;
  return false;
}

class Reader {
 public:
  Reader(const CsvTable& table, const CatalogInputs& presets) : table_(table), presets_(presets) {}

  MeasuredCollectiveRow read(std::size_t row) {
    row_ = row;
    one_ = {};
    one_.line = table_.place(row).line;
    one_.gpu = table_.text(row, "gpu"), one_.network = table_.text(row, "network");
    one_.collective = table_.text(row, "collective");
    one_.nodes = whole("nodes");
    read_time();
    read_call();
    if (one_.skipped.empty()) read_machine();
    return one_;
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& remedy,
                           std::string_view column) const {
    throw UserError({{table_.place(row_, column), what, remedy}});
  }
  void skip(const std::string& why) {
    if (one_.skipped.empty()) one_.skipped = why;
  }
  void assume(const std::string& what) { one_.assumed += (one_.assumed.empty() ? "" : "; ") + what; }
  [[nodiscard]] std::int32_t whole(const char* column) const {
    const auto value = table_.integer(row_, column);
    if (!value || *value < 1 || *value > 1'000'000)
      refuse(fmt::format("column {}: \"{}\" is not a valid number", column, table_.text(row_, column)),
             "write a positive integer, or remove the row", column);
    return *value;
  }
  [[nodiscard]] double seconds(const char* column) const {
    if (table_.text(row_, column) == "N/A") return 0.0;
    const double us = table_.number(row_, column).value_or(0.0);
    if (us < 0.0 || us > 1e12)
      refuse(fmt::format("column {}: {} us is not a valid time", column, us), "correct or remove the row",
             column);
    return us * 1e-6;
  }

  void read_time() {
    const double out = seconds("time_us_out"), in = seconds("time_us_in");
    one_.measured.seconds = out > 0.0 ? out : in;
    one_.seconds_in_place = out > 0.0 ? in : 0.0;
    if (one_.measured.seconds < 1e-9) skip("no time");
    const std::string note(table_.text(row_, "note"));
    one_.one_process = note.find("one process") != note.npos || note.find("1 process") != note.npos;
    if (note.find("do not use") != std::string::npos || note.find("misconfigured") != std::string::npos)
      skip("its own note warns of it");
  }

  void read_call() {
    collective::MeasuredCollective& m = one_.measured;
    if (!kind_of(one_.collective, m.query.kind)) skip("collective " + one_.collective + " is not priced");
    const double bytes = table_.number(row_, "size_bytes").value_or(0.0);
    if (bytes < 0.0 || bytes > 1e15 || bytes != std::floor(bytes))
      refuse(fmt::format("column size_bytes: {} is not a size", bytes),
             "write an integer number of bytes, or remove the row", "size_bytes");
    if (bytes < 1.0) skip("no bytes");
    m.query.payload = Bytes(static_cast<std::int64_t>(bytes));
    m.query.group.ranks = whole("ranks");
    if (m.query.group.ranks == 1) skip("one rank");
    if (m.query.group.ranks < one_.nodes)
      refuse("there are more nodes than ranks", "correct the columns nodes and ranks", "nodes");
  }

  // The generic cluster of the GPU, or of a relative.
  [[nodiscard]] const ClusterSpec* base_cluster(machine::GpuSpec& gpu) {
    const std::string words = upper_letters(one_.network) + upper_letters(table_.text(row_, "note"));
    const auto cluster_of = [&](const std::string& preset) -> const ClusterSpec* {
      const std::int32_t at = find_named(presets_.catalog.clusters, preset);
      if (at < 0) return nullptr;
      const ClusterSpec& found = presets_.catalog.clusters[static_cast<std::size_t>(at)];
      gpu = presets_.catalog.gpus.at(static_cast<std::size_t>(found.gpu.index()));
      return &found;
    };
    const std::string preset = presets_.aliases.resolve("gpu", one_.gpu), name = upper_letters(one_.gpu);
    for (const ClusterNamed& named : presets_.stand_ins.clusters)
      if (words.find(named.part) != std::string::npos)
        if (const ClusterSpec* found = cluster_of(named.preset)) return found;
    if (const ClusterSpec* own = cluster_of("generic-" + preset)) return own;
    for (const GpuLike& like : presets_.stand_ins.gpus) {
      if (name.find(like.part) == std::string::npos) continue;
      const ClusterSpec* found = cluster_of("generic-" + like.preset);
      if (found == nullptr) continue;
      assume(fmt::format("gpu {} as {}", one_.gpu, like.preset));
      if (like.compute_capability > 0) gpu.compute_capability = like.compute_capability;
      if (like.nvlink.value > 0.0) gpu.nvlink = like.nvlink;
      // Without NVLink, through a slot of 16 lanes: Gen5 from Hopper on, Gen4 before.
      if (name.find("PCI") != std::string::npos)
        gpu.nvlink = BytesPerSecond(gpu.compute_capability >= 90 ? 64e9 : 32e9);
      return found;
    }
    return nullptr;
  }

  void read_machine() {
    machine::GpuSpec gpu;
    const ClusterSpec* base = base_cluster(gpu);
    if (base == nullptr) return skip("no preset for gpu " + one_.gpu);
    ClusterSpec cluster = *base;
    machine::GroupSpan& group = one_.measured.query.group;
    const std::int32_t a_node = (group.ranks + one_.nodes - 1) / one_.nodes;
    cluster.gpus_per_node =
        std::max(table_.integer(row_, "gpus_per_node").value_or(cluster.gpus_per_node), a_node);
    if (cluster.scale_up_domain <= base->gpus_per_node) cluster.scale_up_domain = cluster.gpus_per_node;
    if (cluster.gpus_per_node < 1)
      refuse("column gpus_per_node is not a valid number", "write a positive integer", "gpus_per_node");
    if (gpu.nvlink.value > 0.0) cluster.scale_up.bandwidth = gpu.nvlink;
    const std::int32_t domain = std::max(cluster.scale_up_domain, a_node);
    group.nodes = one_.nodes == 1 ? 1 : std::min(one_.nodes, (group.ranks + domain - 1) / domain);
    if (group.nodes > 1) read_network(cluster);
    group.ranks_per_node = (group.ranks + group.nodes - 1) / group.nodes;
    one_.measured.links = machine::links_of(group, cluster, gpu);
    one_.measured.nccl_version = version_of(cluster);
    choose_constants(cluster, gpu.compute_capability / 10);
  }

  [[nodiscard]] const collective::NetworkConstants* network(const std::string& name) const {
    const std::int32_t at = find_named(presets_.calibration.networks, name);
    return at < 0 ? nullptr : &presets_.calibration.networks[static_cast<std::size_t>(at)];
  }

  // The cluster's own constants; another's where the network is driven in the same way; of another
  // generation only those of the fabric.
  void choose_constants(const ClusterSpec& cluster, std::int32_t generation) {
    const collective::NetworkConstants* own = network(cluster.network);
    if (own == nullptr) return skip("no network constants " + cluster.network);
    one_.constants = *own;
    const Transport transport = read_fabric(one_.network).transport;
    const NetworkLike* nearest = nullptr;
    for (const NetworkLike& like : presets_.stand_ins.networks) {
      const bool nearer = nearest == nullptr ||
                          std::abs(like.generation - generation) < std::abs(nearest->generation - generation);
      if (like.transport == transport && nearer) nearest = &like;
    }
    const auto* other =
        nearest == nullptr || one_.measured.query.group.nodes == 1 ? nullptr : network(nearest->network);
    if (other == nullptr) return;
    if (nearest->generation == generation) {
      one_.constants = *other;
      return;
    }
    one_.constants = collective::on_fabric(*own, *other);
    one_.constants.name = own->name + " on " + other->name;
    assume(fmt::format("network \"{}\": the fabric of {}", one_.network, other->name));
  }

  void read_network(ClusterSpec& cluster) {
    const FabricWords words = read_fabric(one_.network);
    double node = words.node_gigabits;
    if (words.nic_gigabits > 0.0) {
      cluster.nics_per_node =
          words.nics > 0 ? words.nics : std::min(cluster.nics_per_node, cluster.gpus_per_node);
      node = words.nic_gigabits * cluster.nics_per_node;
    }
    if (node <= 0.0) {
      assume(fmt::format("network \"{}\": {} NICs of {:.0f} Gb/s, as {}", one_.network, cluster.nics_per_node,
                         cluster.scale_out.bandwidth.value * 8e-9, cluster.name));
      return;
    }
    cluster.nics_per_node =
        std::min(cluster.nics_per_node, cluster.gpus_per_node);  // several of a GPU act as one
    cluster.scale_out.bandwidth = BytesPerSecond(node / 8.0 * 1e9 / cluster.nics_per_node);
    if (words.transport == Transport::unknown)
      assume(fmt::format("network \"{}\": driven as that of {}", one_.network, cluster.name));
  }

  [[nodiscard]] std::int32_t version_of(const ClusterSpec& cluster) const {
    for (const char* column : {"nccl_version", "note"})
      if (const std::int32_t version = read_nccl_version(table_.text(row_, column)); version > 0)
        return version;
    return cluster.nccl_version;
  }

  const CsvTable& table_;
  const CatalogInputs& presets_;
  std::size_t row_ = 0;
  MeasuredCollectiveRow one_;
};

constexpr std::array needs{"gpu", "collective", "nodes", "ranks", "size_bytes", "time_us_out"};

}  // namespace

bool MeasuredCollectiveRow::is_steady() const {
  return seconds_in_place <= 0.0 || std::abs(seconds_in_place / measured.seconds - 1.0) <= 0.25;
}

bool MeasuredCollectiveRow::shows_harness() const {
  return one_process && measured.query.payload.value < 64 << 20;
}

bool is_collective_table(const CsvTable& table) {
  return std::all_of(needs.begin(), needs.end(), [&](const char* column) { return table.has(column); });
}

std::string collective_table_columns() {
  std::string out;
  for (const char* column : needs) out += (out.empty() ? "" : ", ") + std::string(column);
  return out;
}

std::vector<MeasuredCollectiveRow> read_measured_collectives(const CsvTable& table,
                                                             const CatalogInputs& presets) {
  Reader reader(table, presets);
  return every_row<MeasuredCollectiveRow>(table, [&reader](std::size_t row) { return reader.read(row); });
}

}  // namespace echo::config
