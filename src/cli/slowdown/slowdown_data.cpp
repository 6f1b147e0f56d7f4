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

// Why a sweep could not price the row; null if it could.
const char* why_unpriced(const OverlapRow& row, const config::CatalogInputs& presets) {
  const machine::GpuSpec* gpu = gpu_of(row, presets);
  const Communication& beside = row.beside;
  if (gpu == nullptr) return "their GPU has no preset";
  if (!row.shape) return "the shape of the kernel is not known";
  if (!kernels::is_priceable(*row.shape, *gpu) || find_named(presets.calibration.kernels, gpu->kernels) < 0)
    return "the constants of the GPU cannot price such a kernel";
  if (beside.made_by == CommunicationKind::copy_engine)
    return "copy engines occupy no SM and are not learned";
  if (beside.channels <= 0 || !(beside.memory_rate >= 0.0) || !(beside.alone > 0.0))
    return "the communication (channels, HBM traffic, time alone) is not known";
  return nullptr;
}

// The price by the sweep's model if it knew this measured time: the bytes are the same, the rate follows the
// time.
learn::Pair pair_of(const OverlapRow& row, const config::CatalogInputs& presets) {
  const machine::GpuSpec& gpu = *gpu_of(row, presets);
  const std::size_t constants = at(find_named(presets.calibration.kernels, gpu.kernels));
  learn::Pair pair;
  pair.kernel = kernels::price_known(*row.shape, gpu, presets.calibration.kernels[constants], {});
  const double modelled = to_seconds(pair.kernel.alone);
  pair.kernel.memory_share = std::min(1.0, pair.kernel.memory_share * modelled / row.alone);
  pair.kernel.alone = from_seconds(row.alone);
  pair.collective.time = from_seconds(row.beside.alone);
  pair.collective.channels = row.beside.channels;
  pair.collective.memory_rate = row.beside.memory_rate;
  pair.machine = {gpu.sm_count, gpu.memory_bandwidth.value};
  return pair;
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
      "such a table can only train and evaluate models of measured metrics (--features metrics); a model "
      "that "
      "sweeps can use needs rows with shapes and communication, as the overlap profiler writes them");
}

}  // namespace

std::int64_t SlowdownData::overlapping() const {
  return std::count_if(examples.rows.begin(), examples.rows.end(),
                       [](const learn::Example& example) { return example.row.overlap_ratio > 0.0; });
}

SlowdownData read_slowdown_data(const std::string& file, const std::string& gpu,
                                slowdown::FeatureSet features, const config::CatalogInputs& presets) {
  SlowdownData data{.file = file, .digest = digest_of(file)};
  data.examples.features = features;
  OverlapImport read = import_overlaps({.files = {file}}, {.gpu = gpu}, presets);
  for (OverlapRow& row : read.data.rows) {
    learn::Example example;
    if (features == slowdown::FeatureSet::simulator) {
      if (const char* why = why_unpriced(row, presets)) {
        ++data.left_out[why];
        continue;
      }
      example.pair = pair_of(row, presets);
    } else if (const machine::GpuSpec* known = gpu_of(row, presets)) {
      example.pair.machine = {known->sm_count, known->memory_bandwidth.value};
    }
    example.row = std::move(row);
    data.examples.rows.push_back(std::move(example));
  }
  if (data.examples.rows.empty()) refuse(data);
  return data;
}

}  // namespace echo::cli
