// Reads one preset file of each kind into its struct.
#pragma once

#include <string>
#include <vector>

#include "config/catalog/tier_preset.hpp"
#include "config/toml/toml_reader.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"

namespace echo::config {

// Keys that open every preset: name, source, and the grade of the values that name none of their own.
void read_head(TableReader& file, std::string& name, std::string& source);

[[nodiscard]] machine::GpuSpec read_gpu(TableReader& file);
[[nodiscard]] training::ModelSpec read_model(TableReader& file);

// A cluster names its GPU and topology; the names wait here until every file is read.
struct ClusterFile {
  machine::ClusterSpec spec;
  std::string gpu;
  Place gpu_place, network_place;
  std::string nic, network_switch;  // presets of the packet simulator; empty: none
  Place nic_place, switch_place;
  TierNames tiers;
  std::string fabric_path;  // of topology "file"; read with the rest of the catalog
  Place fabric_place;
};
[[nodiscard]] ClusterFile read_cluster(TableReader& file);

// Constants of a GPU kind. A file may name a GPU kind whose constants it shares and list those that differ;
// the others are put in when every file is read.
struct KernelFile {
  kernels::KernelConstants spec;
  std::string like;           // empty: all constants are its own
  bool is_other_die = false;  // knots, libraries and optional constants of `like` do not hold
  std::vector<double kernels::KernelConstants::*> own;
  Place like_place;
};
[[nodiscard]] KernelFile read_kernel_file(TableReader& file);
[[nodiscard]] collective::NetworkConstants read_network_constants(TableReader& file);

struct SlowdownFile {
  std::string name;
  slowdown::Contention constants;
};
[[nodiscard]] SlowdownFile read_slowdown(TableReader& file);

// "2.21.5" as NCCL prints it in one number: 22105 (20805 and 2804 before and after the scheme changed
// at 2.9).
[[nodiscard]] std::optional<std::int32_t> nccl_version_of(const std::string& text);

}  // namespace echo::config
