// Any bytes are a file of the catalog, or a schedule's order beside a sweep, or a list of problems with their
// places. The first byte chooses which file.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "base/error.hpp"
#include "config/catalog/catalog_files.hpp"
#include "config/sweep_file/sweep_file.hpp"
#include "tests/fuzz/scratch_catalog.hpp"

namespace {

using echo::fuzz::fs::path;

constexpr const char* files[] = {
    "gpus/x.toml",    "models/x.toml",     "clusters/x.toml", "frameworks/x.toml",
    "recipes/x.toml", "kernels/x.toml",    "networks/x.toml", "slowdown/x.toml",
    "errors/x.toml",  "settings/x.toml",   "practice/x.toml", "fabrics/fabric.toml",
    "aliases.toml",   "publications.toml", "suites.toml",     "order.toml",
    "memory_tiers/x.toml"};
constexpr const char* cluster = R"(name = "c"
source = "x"
grade = "assumed"
gpu = "h100-sxm"
gpus_per_node = 8
nodes = 2
scale_up_domain = 8
scale_up_per_gpu_one_way = "450 GB/s"
scale_up_latency = "100 ns"
nics_per_node = 8
scale_out_per_nic_one_way = "400 Gb/s"
scale_out_hop_latency = "130 ns"
topology = "file"
topology_file = "fabric.toml"
network = "default-h100"
nccl_version = "2.21.5"
)";
constexpr const char* sweep =
    "[space]\nmodel = \"gpt3-125m\"\ncluster = \"dgx-h100-ndr400\"\nglobal_batch = 8\ngpus = 8\npp = 2\n"
    "schedule = \"file:order.toml\"\n";

void read(const std::string& file, const std::string& text) {
  const path mine = echo::fuzz::scratch_folder() / "mine";
  echo::fuzz::fs::remove_all(mine);
  echo::fuzz::write(mine / file, text);
  if (file.starts_with("fabrics")) echo::fuzz::write(mine / "clusters" / "c.toml", cluster);
  if (file == "order.toml") {
    echo::fuzz::write(mine / "sweep.toml", sweep);
    static_cast<void>(echo::config::read_sweep((mine / "sweep.toml").string()));
  } else {
    static_cast<void>(echo::config::read_catalog(echo::config::catalog_folders({mine.string()})));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    read(files[data[0] % std::size(files)], {reinterpret_cast<const char*>(data) + 1, size - 1});
  } catch (const echo::UserError& error) {
    if (error.exit_code() != 2 || error.problems().empty()) __builtin_trap();
    for (const echo::Problem& problem : error.problems())
      if (problem.what.empty() || problem.place.line < 0 || problem.place.column < 0) __builtin_trap();
  }
  return 0;
}
