#include "cli/slowdown/slowdown_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/named_table.hpp"
#include "cli/slowdown/overlap_import.hpp"
#include "config/toml/read_file.hpp"
#include "kernels/database/price_known.hpp"
#include "kernels/price_kernels.hpp"
#include "learn/candidates/metrics_pair.hpp"
#include "storage/overlap_file.hpp"
#include "text/show_quantity.hpp"

namespace echo::cli {

namespace {

using slowdown::Communication;
using slowdown::CommunicationKind;
using slowdown::OverlapRow;

const machine::GpuSpec* gpu_of(const OverlapRow& row, const config::CatalogInputs& presets) {
  const std::int32_t gpu = find_named(presets.catalog.gpus, row.gpu);
  return gpu < 0 ? nullptr : &presets.catalog.gpus[at(gpu)];
}

bool has_metrics(const OverlapRow& row) {
  return row.metrics.compute_throughput >= 0.0 && row.metrics.memory_throughput >= 0.0 &&
         row.metrics.dram_throughput >= 0.0;
}
bool tells_communication(const Communication& beside) {
  return beside.channels > 0 && beside.memory_rate >= 0.0 && beside.alone > 0.0;
}

// Why a sweep could not price the row; null if it could.
const char* why_unpriced(const OverlapRow& row, const config::CatalogInputs& presets, bool assumes) {
  const machine::GpuSpec* gpu = gpu_of(row, presets);
  const Communication& beside = row.beside;
  if (gpu == nullptr) return "their GPU has no preset";
  if (!row.shape && !has_metrics(row)) return "neither the shape nor the metrics of the kernel are known";
  if (row.shape &&
      (!kernels::is_priceable(*row.shape, *gpu) || find_named(presets.calibration.kernels, gpu->kernels) < 0))
    return "the constants of the GPU cannot price such a kernel";
  if (beside.made_by == CommunicationKind::copy_engine)
    return "copy engines occupy no SM and are not learned";
  if (!assumes && !tells_communication(beside))
    return "the communication (channels, HBM traffic, time alone) is not known";
  return nullptr;
}

// The price by the sweep's model if it knew this measured time: the bytes are the same, the rate follows the
// time.
ops::KernelPrice price_of_shape(const OverlapRow& row, const machine::GpuSpec& gpu,
                                const config::CatalogInputs& presets) {
  const std::size_t constants = at(find_named(presets.calibration.kernels, gpu.kernels));
  ops::KernelPrice price = kernels::price_known(*row.shape, gpu, presets.calibration.kernels[constants], {});
  price.memory_share = std::min(1.0, price.memory_share * to_seconds(price.alone) / row.alone);
  price.alone = from_seconds(row.alone);
  return price;
}

// Makes the pair of an example whose row is there; counts what had to be assumed. A collective of unknown
// duration is taken to last as long as the kernel.
void fill_pair(learn::Example& example, const config::CatalogInputs& presets,
               const std::optional<AssumedChannels>& assumed, SlowdownData& data) {
  const OverlapRow& row = example.row;
  const machine::GpuSpec& gpu = *gpu_of(row, presets);
  example.pair.machine = {gpu.sm_count, gpu.memory_bandwidth.value};
  learn::AssumedCommunication beside{.time = from_seconds(row.alone)};
  if (!tells_communication(row.beside)) {
    beside.sm_share = assumed->channels / static_cast<double>(gpu.sm_count);
    beside.memory_share = assumed->memory_rate / gpu.memory_bandwidth.value;
    ++data.assumed[fmt::format("communication on {} channels that moves {:.3g} GB/s through HBM",
                               assumed->channels, assumed->memory_rate * 1e-9)];
  }
  example.pair = learn::pair_of_metrics(example, beside);
  if (row.shape)
    example.pair.kernel = price_of_shape(row, gpu, presets);
  else
    ++data.assumed["what bounds the kernel, from the ratio of its measured throughputs"];
}

// The digest stored in a dataset; for other files that of the bytes.
std::string digest_of(const std::string& file) {
  const auto bytes = config::read_whole_file(file);
  if (!bytes) throw UserError("cannot read " + file, "check the path and its permissions");
  return bytes->starts_with("\x89HDF") ? storage::read_overlaps(file).digest : config::fingerprint(*bytes);
}

[[noreturn]] void refuse(const SlowdownData& data) {
  std::string why;
  for (const auto& [reason, count] : data.left_out)
    why += fmt::format("{}{} rows: {}", why.empty() ? "" : "; ", text::show_count(count), reason);
  throw UserError(
      fmt::format("{}: no row has the shape and communication that a sweep uses ({})", data.file, why),
      "say what ran beside them (--assume-channels, --assume-memory-rate), or train a model of measured "
      "metrics "
      "(--features metrics), which sweeps cannot use");
}

}  // namespace

std::int64_t SlowdownData::overlapping() const {
  return std::count_if(examples.rows.begin(), examples.rows.end(),
                       [](const learn::Example& example) { return example.row.overlap_ratio > 0.0; });
}

SlowdownData read_slowdown_data(const std::string& file, const std::string& gpu,
                                slowdown::FeatureSet features, const config::CatalogInputs& presets,
                                const std::optional<AssumedChannels>& assumed) {
  SlowdownData data{.file = file, .digest = digest_of(file)};
  data.examples.features = features;
  OverlapImport read = import_overlaps({.files = {file}}, {.gpu = gpu}, presets);
  for (OverlapRow& row : read.data.rows) {
    learn::Example example;
    if (features == slowdown::FeatureSet::simulator) {
      if (const char* why = why_unpriced(row, presets, assumed.has_value())) {
        ++data.left_out[why];
        continue;
      }
      example.row = std::move(row);
      fill_pair(example, presets, assumed, data);
      data.examples.rows.push_back(std::move(example));
      continue;
    }
    if (const machine::GpuSpec* known = gpu_of(row, presets)) {
      example.pair.machine = {known->sm_count, known->memory_bandwidth.value};
    }
    example.row = std::move(row);
    data.examples.rows.push_back(std::move(example));
  }
  if (data.examples.rows.empty()) refuse(data);
  return data;
}

std::vector<std::string> assumed_lines(const SlowdownData& data) {
  std::vector<std::string> out;
  for (const auto& [what, count] : data.assumed)
    out.push_back(fmt::format("{} rows: {}", text::show_count(count), what));
  return out;
}

}  // namespace echo::cli
