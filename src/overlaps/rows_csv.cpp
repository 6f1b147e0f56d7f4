#include "overlaps/rows_csv.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>
#include <string_view>

#include "base/at.hpp"
#include "nsight/kernel_class.hpp"
#include "text/csv_cell.hpp"

namespace echo::overlaps {

namespace {

struct Row {
  const Profile& profile;
  const Observation& seen;
  const RowOrigin& origin;
  const Activity& one = profile.activities[at(seen.activity)];
  const Launch& launch = profile.launches[at(one.launch)];
  const Activity* other = seen.collective < 0 ? nullptr : &profile.activities[at(seen.collective)];
  const Collective* made =
      other == nullptr || other->collective < 0 ? nullptr : &profile.collectives[at(other->collective)];

  [[nodiscard]] std::string text(std::int32_t id) const { return profile.texts[id]; }
  [[nodiscard]] const Launch* other_launch() const {
    return other == nullptr ? nullptr : &profile.launches[at(other->launch)];
  }
};

// --- cells
std::string whole(std::int64_t value) { return value < 0 ? "" : fmt::format("{}", value); }
std::string positive(std::int64_t value) { return value <= 0 ? "" : fmt::format("{}", value); }
std::string real(double value, int decimals) {
  if (!std::isfinite(value)) return "";
  std::string out = fmt::format("{:.{}f}", value, decimals);
  if (out.find('.') == out.npos) return out;
  out.erase(out.find_last_not_of('0') + 1);
  if (out.ends_with('.')) out.pop_back();
  return out == "-0" ? "0" : out;
}
std::string as_said(double value) {
  return std::isfinite(value) ? fmt::format("{}", static_cast<float>(value)) : "";
}
// ns to us
std::string time(double ns) { return real(ns / 1000.0, 4); }
std::string time(std::int64_t ns) { return ns < 0 ? "" : time(static_cast<double>(ns)); }
std::string extents(const std::array<std::int64_t, 3>& all) {
  return product_of(all) == 0 ? "" : fmt::format("{}x{}x{}", all[0], all[1], all[2]);
}
std::string without_parameters(const std::string& name) {
  const std::string_view unnamed = "(anonymous namespace)";
  std::size_t from = 0;
  while (true) {
    const std::size_t open = name.find('(', from);
    if (open == name.npos) return name;
    if (name.compare(open, unnamed.size(), unnamed) != 0) return name.substr(0, open);
    from = open + unnamed.size();
  }
}

// --- columns
std::string class_cell(const Row& row) {
  if (row.seen.is_collective) return "comm";
  return std::string(nsight::kernel_class_names[at(nsight::class_of(row.text(row.one.name)))]);
}
std::string names_cell(const Row& row) {
  std::string out;
  for (const std::int32_t name : row.seen.collective_names)
    out += (out.empty() ? "" : "|") + without_parameters(row.text(name));
  return out;
}
std::string rate_cell(const Row& row) {
  if (row.made == nullptr || row.made->bytes < 0 || row.other->duration <= 0) return "";
  return real(static_cast<double>(row.made->bytes) / static_cast<double>(row.other->duration), 3);
}
std::string wait_cell(const Row& row) {
  const std::int64_t least = row.seen.shortest_of_ranks;
  return least < 0 || row.other == nullptr ? "" : real(share_of(row.other->duration - least, *row.other), 4);
}
std::string quality_cell(const Row& row) {
  std::string out;
  for (std::size_t i = 0; i < doubt_names.size(); ++i)
    if (row.seen.has(static_cast<Doubt>(i))) out += (out.empty() ? "" : ";") + std::string(doubt_names[i]);
  return out;
}
double share(const Row& row, std::int64_t part) { return share_of(part, row.one); }
std::string of_other(const Row& row, const std::function<std::int64_t(const Launch&)>& what) {
  return row.other == nullptr ? "" : positive(what(*row.other_launch()));
}

struct Column {
  std::string_view name;
  std::string (*cell)(const Row&);
};

constexpr std::array columns{
    Column{"row_kind", [](const Row& r) -> std::string { return r.seen.is_collective ? "comm" : "compute"; }},
    Column{"trace", [](const Row& r) { return r.profile.trace; }},
    Column{"source", [](const Row& r) { return r.origin.source.empty() ? r.profile.path : r.origin.source; }},
    // A path does not say from which repository a file comes.
    Column{"commit", [](const Row&) { return std::string(); }},
    Column{"blob", [](const Row&) { return std::string(); }},
    Column{"gpu", [](const Row& r) { return r.profile.gpu.empty() ? r.origin.gpu : r.profile.gpu; }},
    Column{"sm_count", [](const Row& r) { return positive(r.profile.sm_count); }},
    Column{"world_size", [](const Row& r) { return positive(r.profile.world); }},
    Column{"rank", [](const Row& r) { return whole(r.profile.rank); }},
    Column{"group_size", [](const Row& r) { return r.made == nullptr ? "" : positive(r.made->group_size); }},
    Column{"framework", [](const Row& r) { return r.profile.format; }},
    Column{"ts_res_us", [](const Row& r) { return time(r.profile.tick); }},
    Column{"kernel", [](const Row& r) { return r.text(r.one.name); }},
    Column{"class", class_cell},
    Column{"op", [](const Row& r) { return r.text(r.one.op); }},
    Column{"shape", [](const Row& r) { return r.text(r.one.shape); }},
    Column{"in_type", [](const Row& r) { return r.text(r.one.types); }},
    Column{"grid", [](const Row& r) { return extents(r.launch.grid); }},
    Column{"block", [](const Row& r) { return extents(r.launch.block); }},
    Column{"ctas", [](const Row& r) { return positive(product_of(r.launch.grid)); }},
    Column{"threads_per_cta", [](const Row& r) { return positive(product_of(r.launch.block)); }},
    Column{"regs", [](const Row& r) { return whole(r.launch.registers); }},
    Column{"smem_bytes", [](const Row& r) { return whole(r.launch.shared_memory); }},
    Column{"est_occupancy_pct", [](const Row& r) { return as_said(r.launch.occupancy_percent); }},
    Column{"blocks_per_sm", [](const Row& r) { return as_said(r.launch.blocks_per_sm); }},
    Column{"warps_per_sm", [](const Row& r) { return as_said(r.launch.warps_per_sm); }},
    Column{"stream", [](const Row& r) { return whole(r.one.stream); }},
    Column{"ts_us", [](const Row& r) { return time(r.one.start - r.profile.first_kernel); }},
    Column{"dur_us", [](const Row& r) { return time(r.one.duration); }},
    Column{"ov_us", [](const Row& r) { return time(r.seen.beside); }},
    Column{"ov_frac", [](const Row& r) { return real(share(r, r.seen.beside), 4); }},
    Column{"ov_other_frac", [](const Row& r) { return real(share(r, r.seen.beside_others), 4); }},
    Column{"ov_copy_frac", [](const Row& r) { return real(share(r, r.seen.beside_copies), 4); }},
    Column{"n_conc", [](const Row& r) { return positive(r.seen.collectives); }},
    Column{"comm_kernels", names_cell},
    Column{"comm_kind", [](const Row& r) { return r.made == nullptr ? "" : r.made->kind; }},
    Column{"comm_ctas",
           [](const Row& r) { return of_other(r, [](const Launch& l) { return product_of(l.grid); }); }},
    Column{"comm_threads",
           [](const Row& r) { return of_other(r, [](const Launch& l) { return product_of(l.block); }); }},
    Column{"comm_bytes", [](const Row& r) { return r.made == nullptr ? "" : whole(r.made->bytes); }},
    Column{"comm_dtype", [](const Row& r) { return r.made == nullptr ? "" : r.made->type; }},
    Column{"comm_group", [](const Row& r) { return r.made == nullptr ? "" : r.made->group; }},
    Column{"comm_dur_us", [](const Row& r) { return r.other == nullptr ? "" : time(r.other->duration); }},
    Column{"comm_rank_min_dur_us", [](const Row& r) { return time(r.seen.shortest_of_ranks); }},
    Column{"comm_wait_frac", wait_cell},
    Column{"alone_median_us", [](const Row& r) { return time(r.seen.alone_median); }},
    Column{"n_alone", [](const Row& r) { return positive(r.seen.alone_count); }},
    Column{"alone_q10_us", [](const Row& r) { return time(r.seen.alone_q10); }},
    Column{"alone_q90_us", [](const Row& r) { return time(r.seen.alone_q90); }},
    Column{"alone_gap_us", [](const Row& r) { return time(r.seen.alone_gap); }},
    Column{"alone_key", [](const Row& r) { return r.seen.alone_by; }},
    Column{"comm_algbw_GBps", rate_cell},
    Column{"slowdown", [](const Row& r) { return real(r.seen.slowdown, 4); }},
    Column{"implied_slowdown", [](const Row& r) { return real(r.seen.implied, 4); }},
    Column{"log_error", [](const Row& r) { return real(r.seen.log_error, 4); }},
    Column{"weight", [](const Row& r) { return real(r.seen.weight, 6); }},
    Column{"quality", quality_cell},
    Column{"recommended", [](const Row& r) -> std::string { return r.seen.is_recommended ? "1" : "0"; }},
    Column{"run_group", [](const Row& r) { return r.origin.run_group; }},
};

}  // namespace

std::string rows_header() {
  std::string out;
  for (const Column& column : columns) out += (out.empty() ? "" : ",") + std::string(column.name);
  return out + "\n";
}

std::string row_text(const Profile& profile, const Observation& seen, const RowOrigin& origin) {
  const Row row{profile, seen, origin};
  std::string out;
  for (const Column& column : columns) {
    if (&column != columns.data()) out += ',';
    out += text::csv_cell(column.cell(row));
  }
  return out + "\n";
}

}  // namespace echo::overlaps
