#include "overlaps/dataset_rows.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/at.hpp"
#include "nsight/kernel_name.hpp"

namespace echo::overlaps {

namespace {

using slowdown::Communication;
using slowdown::OverlapRow;

std::int32_t narrow(std::int64_t value) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(value, 0, std::numeric_limits<std::int32_t>::max()));
}

double known(std::int64_t value) { return value < 0 ? slowdown::not_measured : static_cast<double>(value); }
double positive(std::int64_t value) {
  return value <= 0 ? slowdown::not_measured : static_cast<double>(value);
}

// DeepEP's exchanges are all-to-alls by kernels of its own.
std::optional<Communication> communication_of(const Profile& profile, const Activity& other) {
  const Collective& made = profile.collectives[at(other.collective)];
  Communication out;
  out.made_by = slowdown::CommunicationKind::collective;
  std::string kind = made.kind;
  if (kind == "ep_dispatch" || kind == "ep_combine") kind = "all_to_all", out.algorithm = "deepep";
  const auto found = std::find(ops::collective_kind_names.begin(), ops::collective_kind_names.end(), kind);
  if (found == ops::collective_kind_names.end()) return std::nullopt;
  out.collective = static_cast<ops::CollectiveKind>(found - ops::collective_kind_names.begin());
  const Launch& launch = profile.launches[at(other.launch)];
  out.channels = narrow(product_of(launch.grid)), out.threads = narrow(product_of(launch.block));
  out.payload = known(made.bytes);
  return out;
}

}  // namespace

DatasetRows dataset_rows(const Profile& profile, const ProfileOverlaps& found, const std::string& gpu) {
  DatasetRows out;
  for (const Observation& seen : found.rows) {
    const Activity& one = profile.activities[at(seen.activity)];
    if (seen.is_collective) {
      ++out.left_out["rows of collectives: a dataset has rows of kernels"];
      continue;
    }
    if (!seen.is_recommended) {
      ++out.left_out["rows that are not recommended: a dataset has no column for doubts"];
      continue;
    }
    auto beside = communication_of(profile, profile.activities[at(seen.collective)]);
    if (!beside) {
      ++out.left_out["rows beside communication that is no collective of the dataset's"];
      continue;
    }
    const Launch& launch = profile.launches[at(one.launch)];
    constexpr double second = 1e9;
    OverlapRow row;
    row.full_name = profile.texts[one.name];
    row.kernel = nsight::short_name_of(row.full_name);
    row.gpu = gpu;
    row.metrics.registers = known(launch.registers);
    row.metrics.shared_memory = known(launch.shared_memory);
    row.metrics.blocks = positive(product_of(launch.grid));
    row.metrics.threads = positive(product_of(launch.block));
    row.beside = std::move(*beside);
    row.alone = seen.alone_median / second;
    row.overlapped = static_cast<double>(one.duration) / second;
    row.overlap_ratio = std::min(1.0, share_of(seen.beside, one));
    if (slowdown::why_unsound(row) != nullptr)
      ++out.left_out[std::string("rows that a dataset refuses: ") + slowdown::why_unsound(row)];
    else
      out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace echo::overlaps
