// Any bytes are a network, a system and a memory file of ASTRA-sim or problems, and what is read is one whole
// cluster text; any bytes are MSCCL's XML or problems, and what is read names its steps and runs to an end or
// says why not. The first byte chooses: these files and that of the remote memory, parted by lines of "---",
// or the XML.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "machine_files/cluster_text.hpp"
#include "machine_files/program_file.hpp"
#include "textbook/run_program.hpp"

namespace {

using namespace echo;

void read_machine(const std::string& text) {
  const std::size_t part = text.find("\n---\n");
  const std::string network = text.substr(0, part);
  const std::string others = part == std::string::npos ? "{}" : text.substr(part + 5);
  const std::size_t end = others.find("\n---\n");
  const std::string system = others.substr(0, end);
  Problems problems;
  machine_files::AstraMachine machine = machine_files::read_astra_network(network, "net.yml", problems);
  if (problems.errors() > 0) return;
  machine_files::read_astra_system(system, "sys.json", machine, problems);
  if (problems.errors() > 0) return;
  if (end != std::string::npos)
    machine_files::read_astra_memory(others.substr(end + 5), "memory.json", machine, problems);
  if (problems.errors() > 0) return;
  if (!machine.machine.is_given() || machine.machine.chunks < 1) std::abort();
  if (machine_files::cluster_text(machine, {"m", "g", "n", "s"}).empty()) std::abort();
}

void read_algorithm(const std::string& text) {
  Problems problems;
  const machine::CollectiveProgram program = machine_files::read_msccl(text, "a.xml", problems);
  if (problems.errors() > 0 || program.steps.size() > 10000) return;
  if (program.rank_begin.size() != static_cast<std::size_t>(program.ranks) + 1) std::abort();
  if (program.needs.rows() != static_cast<std::int32_t>(program.steps.size())) std::abort();
  const bool ends = textbook::why_stuck(program).empty();
  textbook::Dimension all;
  all.size = program.ranks;
  all.bandwidth = BytesPerSecond(1e9);
  if (textbook::run_program(program, 1 << 20, std::span(&all, 1), {}).has_value() != ends) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0)
    read_machine(text);
  else
    read_algorithm(text);
  return 0;
}
