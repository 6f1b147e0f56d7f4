#include "simulate/what_if.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/named_table.hpp"

namespace echo::simulate {
namespace {

using kernels::KernelConstants;
using machine::ClusterSpec;
using machine::GpuSpec;

constexpr std::string_view changed = ", what if";  // ends the name of constants that one GPU kind owns

// The constants that `gpu` is priced with, for it alone, so that other kinds that share them keep theirs.
KernelConstants& own_constants(GpuSpec& gpu, Calibration& calibration) {
  if (!gpu.kernels.ends_with(changed)) {
    const std::int32_t shared = find_named(calibration.kernels, gpu.kernels);
    ECHO_EXPECT(shared >= 0);
    KernelConstants own = calibration.kernels[at(shared)];
    own.name = gpu.name + std::string(changed);
    gpu.kernels = own.name;
    calibration.kernels.push_back(std::move(own));
  }
  return calibration.kernels[at(find_named(calibration.kernels, gpu.kernels))];
}

template <class Change>
void change_each(KernelConstants& constants, Change change) {
  change(constants);
  for (KernelConstants& library : constants.libraries) change_each(library, change);
}

// HBM is `factor` times as fast; the start of kernels and L2 are as they were.
void keep_times_of_memory(KernelConstants& constants, double factor) {
  change_each(constants, [factor](KernelConstants& c) {
    c.memory_half *= factor;
    c.memory_l2 = std::max(1.0, c.memory_l2 / factor);
    c.gemm_cast_near *= factor;
  });
}

// Products are `factor` times as fast; what feeds them is as it was.
void keep_times_beside_products(KernelConstants& constants, double factor) {
  change_each(constants, [factor](KernelConstants& c) {
    for (double KernelConstants::*time :
         {&KernelConstants::gemm_prologue, &KernelConstants::gemm_prologue_8,
          &KernelConstants::gemm_tile_loss, &KernelConstants::gemm_tile_loss_8,
          &KernelConstants::attention_softmax, &KernelConstants::attention_backward_softmax,
          &KernelConstants::expert_tile_loss, &KernelConstants::expert_prologue})
      c.*time *= factor;
    c.gemm_l2 /= factor, c.gemm_l2_8 /= factor;
  });
}

double best_peak(const GpuSpec& gpu) {
  const double bf16 = gpu.peak_of(machine::Precision::bf16).value;
  return bf16 > 0.0 ? bf16 : gpu.peak_of(machine::Precision::fp16).value;
}

void set_memory_bandwidth(Catalog& catalog, Calibration& calibration, std::size_t preset, double value) {
  GpuSpec& gpu = catalog.gpus[preset];
  const double factor = value / gpu.memory_bandwidth.value;
  if (factor == 1.0) return;
  keep_times_of_memory(own_constants(gpu, calibration), factor);
  gpu.memory_bandwidth = BytesPerSecond(value);
}

void set_peak(Catalog& catalog, Calibration& calibration, std::size_t preset, double value) {
  GpuSpec& gpu = catalog.gpus[preset];
  const double factor = value / best_peak(gpu);
  if (factor == 1.0) return;
  keep_times_beside_products(own_constants(gpu, calibration), factor);
  for (FlopsPerSecond& peak : gpu.peak) peak = FlopsPerSecond(peak.value * factor);
}

template <BytesPerSecond ClusterSpec::*member>
double rate_of(const Catalog& catalog, std::size_t preset) {
  return (catalog.clusters[preset].*member).value;
}
template <machine::LinkSpec ClusterSpec::*link>
double link_rate(const Catalog& catalog, std::size_t preset) {
  return (catalog.clusters[preset].*link).bandwidth.value;
}
template <machine::LinkSpec ClusterSpec::*link>
void set_link_rate(Catalog& catalog, Calibration&, std::size_t preset, double value) {
  (catalog.clusters[preset].*link).bandwidth = BytesPerSecond(value);
}
template <machine::LinkSpec ClusterSpec::*link>
double link_latency(const Catalog& catalog, std::size_t preset) {
  return to_seconds((catalog.clusters[preset].*link).latency);
}
template <machine::LinkSpec ClusterSpec::*link>
void set_link_latency(Catalog& catalog, Calibration&, std::size_t preset, double value) {
  (catalog.clusters[preset].*link).latency = from_seconds(value);
}

constexpr std::array<HardwareField, 9> fields{{
    {"hbm_bandwidth",
     {"memory_bandwidth"},
     HardwareKind::gpu,
     Measure::bytes_per_second,
     true,
     false,
     [](const Catalog& c, std::size_t i) { return c.gpus[i].memory_bandwidth.value; },
     set_memory_bandwidth},
    {"hbm_capacity",
     {"memory"},
     HardwareKind::gpu,
     Measure::bytes,
     false,
     false,
     [](const Catalog& c, std::size_t i) { return static_cast<double>(c.gpus[i].memory.value); },
     [](Catalog& c, Calibration&, std::size_t i, double value) {
       c.gpus[i].memory = Bytes(std::llround(value));
     }},
    {"flops",
     {"peak_bf16", "peak_dense"},
     HardwareKind::gpu,
     Measure::flops_per_second,
     true,
     false,
     [](const Catalog& c, std::size_t i) { return best_peak(c.gpus[i]); },
     set_peak},
    {"host_link",
     {"host_link_one_way"},
     HardwareKind::gpu,
     Measure::bytes_per_second,
     true,
     false,
     [](const Catalog& c, std::size_t i) { return c.gpus[i].host_link.value; },
     [](Catalog& c, Calibration&, std::size_t i, double value) {
       c.gpus[i].host_link = BytesPerSecond(value);
     }},
    {"nic_rate",
     {"scale_out_per_nic_one_way", "scale_out_bandwidth"},
     HardwareKind::cluster,
     Measure::bytes_per_second,
     true,
     true,
     link_rate<&ClusterSpec::scale_out>,
     set_link_rate<&ClusterSpec::scale_out>},
    {"nvlink_rate",
     {"scale_up_per_gpu_one_way", "scale_up_bandwidth"},
     HardwareKind::cluster,
     Measure::bytes_per_second,
     true,
     false,
     link_rate<&ClusterSpec::scale_up>,
     set_link_rate<&ClusterSpec::scale_up>},
    {"hop_latency",
     {"scale_out_hop_latency"},
     HardwareKind::cluster,
     Measure::seconds,
     true,
     true,
     link_latency<&ClusterSpec::scale_out>,
     set_link_latency<&ClusterSpec::scale_out>},
    {"nvlink_latency",
     {"scale_up_latency"},
     HardwareKind::cluster,
     Measure::seconds,
     true,
     false,
     link_latency<&ClusterSpec::scale_up>,
     set_link_latency<&ClusterSpec::scale_up>},
    {"host_memory_bandwidth",
     {},
     HardwareKind::cluster,
     Measure::bytes_per_second,
     true,
     false,
     rate_of<&ClusterSpec::host_memory>,
     [](Catalog& c, Calibration&, std::size_t i, double value) {
       c.clusters[i].host_memory = BytesPerSecond(value);
     }},
}};

}  // namespace

std::span<const HardwareField> hardware_fields() { return fields; }

const HardwareField* find_hardware_field(HardwareKind kind, std::string_view name) {
  const auto found = std::ranges::find_if(fields, [&](const HardwareField& field) {
    return field.kind == kind && !name.empty() &&
           (field.name == name || std::ranges::find(field.synonyms, name) != field.synonyms.end());
  });
  return found == fields.end() ? nullptr : &*found;
}

void change_hardware(const HardwareField& field, std::size_t preset, double value, Catalog& catalog,
                     Calibration& calibration) {
  ECHO_EXPECT(value > 0.0);
  machine::WhatIf& mark =
      field.kind == HardwareKind::gpu ? catalog.gpus.at(preset).what_if : catalog.clusters.at(preset).what_if;
  const bool is_other = field.is_speed && value != field.get(catalog, preset);
  mark = std::max(mark, is_other ? machine::WhatIf::other_speed : machine::WhatIf::same_speed);
  if (is_other && field.kind == HardwareKind::gpu) catalog.gpus[preset].power = {};
  field.set(catalog, calibration, preset, value);
}

}  // namespace echo::simulate
