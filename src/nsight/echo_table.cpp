#include "nsight/echo_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/problems.hpp"
#include "nsight/quantity.hpp"

namespace echo::nsight {
namespace {

using slowdown::KernelMetrics;
using slowdown::OverlapRow;

constexpr std::array<std::string_view, 4> needed{"kShortName", "ground_truth", "duration", "overlap_ratio"};
constexpr std::array<std::pair<std::string_view, double KernelMetrics::*>, 7> percentages{
    {{"Compute throughput", &KernelMetrics::compute_throughput},
     {"Memory throughput", &KernelMetrics::memory_throughput},
     {"DRAM throughput", &KernelMetrics::dram_throughput},
     {"Achieved occupancy", &KernelMetrics::achieved_occupancy},
     {"Maximum occupancy", &KernelMetrics::maximum_occupancy},
     {"L1 hit rate", &KernelMetrics::l1_hit_rate},
     {"L2 hit rate", &KernelMetrics::l2_hit_rate}}};
constexpr double nanosecond = 1e-9;

class Importer {
 public:
  Importer(const CsvTable& table, const std::string& gpu)
      : table_(table), gpu_(gpu), problems_(table.header_place().file, Problems::rows_of_a_table) {}

  EchoTable read() {
    for (std::size_t row = 0; row < table_.rows(); ++row) read_row(row);
    problems_.throw_if_any();
    return std::move(out_);
  }

 private:
  void complain(std::size_t row, const std::string& what, const std::string& remedy) {
    problems_.error(table_.place(row), what, remedy);
  }

  // NaN where the cell is blank, or contains something else, which is reported.
  double number(std::size_t row, std::string_view column) {
    const std::string_view cell = table_.text(row, column);
    if (cell.empty()) return slowdown::not_measured;
    const auto value = number_in(cell);
    if (!value)
      complain(row, fmt::format("column {}: \"{}\" is not a number", column, cell),
               "write a plain number, or leave the cell blank");
    return value.value_or(slowdown::not_measured);
  }

  void read_row(std::size_t row) {
    const int before = problems_.errors();
    OverlapRow out{.kernel = std::string(table_.text(row, "kShortName")),
                   .full_name = std::string(table_.text(row, "kDemangledName")),
                   .gpu = gpu_};
    out.alone = number(row, "ground_truth") * nanosecond;
    out.overlapped = number(row, "duration") * nanosecond;
    out.overlap_ratio = number(row, "overlap_ratio");
    for (const auto& [column, member] : percentages) out.metrics.*member = share(row, column);
    check_names(row, out);
    check_sm_count(row);
    const double stated = number(row, "slowdown");
    if (problems_.errors() != before) return;
    if (const char* problem = slowdown::why_unsound(out)) return complain(row, problem, "correct the row");
    check_slowdown(row, stated, slowdown::slowdown_of(out));
    out_.rows.push_back(std::move(out));
  }

  double share(std::size_t row, std::string_view column) {
    const double percent = number(row, column);
    if (std::isnan(percent)) return percent;
    const auto value = share_of(percent);
    if (!value)
      complain(row, fmt::format("column {}: {} is not a percentage", column, percent),
               "write it from 0 to 100, as Nsight Compute prints it");
    if (percent > 100.0) ++out_.above_full;
    return value.value_or(slowdown::not_measured);
  }

  // The table was joined from two by the names of kernels, which it keeps.
  void check_names(std::size_t row, const OverlapRow& out) {
    const std::string_view profiled = table_.text(row, "Kernel Name");
    if (!profiled.empty() && profiled != out.kernel)
      complain(row, fmt::format("the times belong to \"{}\" but the metrics to \"{}\"", out.kernel, profiled),
               "merge the two tables again, kernel by kernel");
  }

  void check_sm_count(std::size_t row) {
    const double count = number(row, "SM");
    if (std::isnan(count)) return;
    if (count < 1.0 || count > 4096.0 || count != std::floor(count))
      return complain(row, fmt::format("column SM: {} is not a valid number of SMs", count),
                      "write the number of SMs of the GPU");
    const auto found = static_cast<std::int32_t>(count);
    if (out_.sm_count != 0 && out_.sm_count != found)
      complain(row, fmt::format("the GPU has {} SMs, but earlier rows have {}", found, out_.sm_count),
               "use one table per kind of GPU");
    out_.sm_count = found;
  }

  void check_slowdown(std::size_t row, double stated, double derived) {
    constexpr double rounding = 1e-6;
    if (std::isnan(stated) || std::abs(stated - derived) <= rounding * std::max(1.0, std::abs(derived)))
      return;
    complain(
        row,
        fmt::format("the slowdown is {}, but the durations and the overlap ratio give {}", stated, derived),
        "correct the wrong value, or leave the slowdown blank");
  }

  const CsvTable& table_;
  const std::string& gpu_;
  Problems problems_;
  EchoTable out_;
};

}  // namespace

bool is_echo_part(const CsvTable& table) {
  return !is_echo_table(table) && table.has("Compute throughput") && table.has("Memory throughput") &&
         (table.has("ground_truth") || table.has("Kernel Name"));
}

bool is_echo_table(const CsvTable& table) {
  return std::all_of(needed.begin(), needed.end(),
                     [&](std::string_view column) { return table.has(column); });
}

EchoTable read_echo_table(const CsvTable& table, const std::string& gpu) {
  return Importer(table, gpu).read();
}

}  // namespace echo::nsight
