#include "machine_files/cluster_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/at.hpp"
#include "machine/given_algorithms.hpp"

namespace echo::machine_files {
namespace {

using machine::GivenDimension;
using machine::GivenMachine;

std::string rate(BytesPerSecond value) { return fmt::format("\"{} GB/s\"", value.value / 1e9); }
std::string time(SimTime value) { return fmt::format("\"{} ns\"", static_cast<double>(value.count()) / 1e3); }

std::string dimension_text(const GivenDimension& d) {
  std::string text =
      fmt::format("  {{ kind = \"{}\", size = {}, link_one_way = {}, link_latency = {}",
                  machine::dimension_kind_names[at(d.kind)], d.size, rate(d.link), time(d.link_latency));
  for (std::size_t i = 0; i < d.algorithm.size(); ++i) {
    const machine::AlgorithmChoice& choice = d.algorithm[i];
    if (choice.algorithm == machine::DimensionAlgorithm::fastest) continue;
    const std::string_view name = machine::chosen_collective_names[i];
    text += fmt::format(", {} = \"{}\"", name, machine::dimension_algorithm_names[at(choice.algorithm)]);
    if (choice.window > 0) text += fmt::format(", {}_window = {}", name, choice.window);
  }
  return text + " },\n";
}

std::string rules_text(const GivenMachine& machine) {
  std::string text = fmt::format(
      "\n[collectives]\nchunks = {}\nactive_chunks = {}\nchunk_order = \"{}\"\nqueue = \"{}\"\n"
      "whole_all_reduce = {}\nendpoint_delay = {}\ncongestion = \"{}\"\n",
      machine.chunks, machine.active_chunks, machine::chunk_order_names[at(machine.order)],
      machine.lifo ? "lifo" : "fifo", machine.whole_all_reduce, time(machine.endpoint_delay),
      machine::link_sharing_names[at(machine.sharing)]);
  if (machine.reduction_memory.value > 0.0)
    text += "reduction_memory_bandwidth = " + rate(machine.reduction_memory) + "\n";
  return text;
}

}  // namespace

std::string cluster_text(const AstraMachine& read, const ClusterText& about) {
  const GivenMachine& machine = read.machine;
  const GivenDimension& inside = machine.dimensions.front();
  const GivenDimension& outside = machine.dimensions[machine.dimensions.size() > 1 ? 1 : 0];
  std::int32_t node = std::min(inside.size, 1024);
  while (inside.size % node != 0) --node;
  const std::int32_t domain = inside.size <= 65536 ? inside.size : 1;
  std::string text =
      fmt::format("# {} GPUs. Links of {} are in units of 2^30 bytes/s.\n", machine.gpus(), about.source);
  for (const std::string& note : read.notes) text += "# " + note + "\n";
  text += fmt::format("name   = \"{}\"\nsource = \"{}\"\ngrade  = \"assumed\"\n\n", about.name, about.source);
  text += fmt::format(
      "gpu             = \"{}\"  # these files name none\ngpus_per_node   = {}\nnodes           = {}\n"
      "scale_up_domain = {}\ncpu             = \"intel\"\n\n",
      about.gpu, node, machine.gpus() / node, domain);
  text += fmt::format(
      "scale_up_per_gpu_one_way  = {}\nscale_up_latency          = {}\nnics_per_node             = {}\n"
      "scale_out_per_nic_one_way = {}\nscale_out_hop_latency     = {}\n\n",
      rate(machine::links_of_one_gpu(inside)), time(inside.link_latency), node,
      rate(machine::links_of_one_gpu(outside)), time(outside.link_latency));
  text += fmt::format(
      "topology = \"single_switch\"  # in place of the dimensions, for memory and sharing\nnetwork = \"{}\"\n"
      "nccl_version = \"2.21.5\"\n\ndimensions = [  # from the GPU outwards\n",
      about.network);
  for (const GivenDimension& d : machine.dimensions) text += dimension_text(d);
  text += "]\n";
  if (read.remote.is_known())
    text += fmt::format(
        "\nremote = {{ read_bandwidth = {}, write_bandwidth = {}, latency = {}, shared_by = \"{}\" }}\n",
        rate(read.remote.read), rate(read.remote.write), time(read.remote.latency),
        machine::tier_sharing_names[at(read.remote.shared_by)]);
  return text + rules_text(machine);
}

}  // namespace echo::machine_files
