#include "calibrate/kernels/kernel_tables.hpp"

#include <array>

#include "base/error.hpp"

namespace echo::calibrate {

namespace {

// Training runs PyTorch's cuBLAS: the `sglang` rows call it (torch linear); 8-bit products go through
// cuBLASLt as in Transformer Engine: the `trtllm` rows. Attention: FlashAttention-2 (A100), -3 (Hopper) and
// the best kernels of Blackwell (`sglang`); the b200 table holds `trtllm` only.
const std::array<KernelSources, 7> known_sources{{
    {"a100-sxm", "a100_sxm", "sglang", "", "sglang", "a100-pcie-80gb", "a100-sxm-80gb"},
    {"h100-sxm", "h100_sxm", "sglang", "trtllm", "sglang", "", "h100-sxm"},
    {"h200-sxm", "h200_sxm", "sglang", "trtllm", "sglang", "", ""},
    {"b200-sxm", "b200_sxm", "sglang", "trtllm", "trtllm", "b200-sxm", ""},
    {"gb200", "gb200", "sglang", "trtllm", "sglang", "b200-sxm", ""},
    {"b300-sxm", "b300_sxm", "sglang", "trtllm", "sglang", "b200-sxm", ""},
    {"gb300", "gb300", "sglang", "trtllm", "sglang", "b200-sxm", ""},
}};

}  // namespace

KernelSources kernel_sources(const std::string& gpu) {
  std::string all;
  for (const KernelSources& sources : known_sources) {
    if (sources.gpu == gpu) return sources;
    all += (all.empty() ? "" : ", ") + sources.gpu;
  }
  throw UserError("no kernel tables for GPU \"" + gpu + "\"", "choose one of " + all);
}

std::vector<KernelMeasurement> read_kernels(const std::string& file, const config::CatalogInputs& presets,
                                            const Weight& weight) {
  const CsvTable table = CsvTable::read_file(file);
  const auto kind = config::kernel_table_of(table);
  if (!kind) throw UserError(file + " is not a table of measured kernels", "use the table as published");
  std::vector<KernelMeasurement> out;
  for (const config::MeasuredKernel& row : config::read_measured_kernels(table, *kind, presets)) {
    if (row.seconds <= 0.0) continue;
    const double counts = weight(row);
    if (counts <= 0.0) continue;
    out.push_back({.key = row.key, .seconds = row.seconds, .weight = counts, .family = row.family});
    out.back().key.library = ops::KernelLibrary::training;  // prices come from the constants in hand
  }
  return out;
}

}  // namespace echo::calibrate
