#include "nsight/compute_csv.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/csv.hpp"
#include "nsight/complaints.hpp"
#include "nsight/compute_metrics.hpp"
#include "nsight/kernel_name.hpp"
#include "nsight/quantity.hpp"

namespace echo::nsight {
namespace {

bool is_header(std::string_view line) {
  return (line.starts_with("\"ID\",") || line.starts_with("ID,")) && line.find("Kernel Name") != line.npos;
}

template <class Take>
void for_each_line(std::string_view text, Take take) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    take(text.substr(at, end - at));
    at = end + 1;
  }
}

// Lines before the header belong to the profiled program, lines that start with "==" to the profiler:
// blanked, so that the rest keeps its line numbers.
std::string only_the_table(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
  std::string out;
  bool is_table = false;
  for_each_line(text, [&](std::string_view line) {
    is_table = is_table || is_header(line);
    if (is_table && !line.starts_with("==")) out += line;
    out += '\n';
  });
  return out;
}

class Reader {
 public:
  Reader(const CsvTable& table, const std::string& file) : table_(table), complaints_(file) {}

  std::vector<ProfiledKernel> read() {
    if (table_.has("Metric Name") && table_.has("Metric Value"))
      read_details();
    else
      read_raw();
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      const std::string problem = metrics_[i].finish(kernels_[i]);
      if (!problem.empty()) complain(first_row_[i], problem);
    }
    if (kernels_.empty())
      complaints_.add(1, "the table has no kernels",
                      "profile the program again, and check that it launches kernels");
    complaints_.throw_if_any();
    return std::move(kernels_);
  }

 private:
  void complain(std::size_t row, const std::string& what) {
    complaints_.add(table_.place(row).line, what,
                    "export the report again in the English locale: ncu --import FILE.ncu-rep --csv");
  }

  void take(std::size_t kernel, std::size_t row, std::string_view metric, std::string_view unit,
            std::string_view value) {
    const std::string problem = metrics_[kernel].take(metric, unit, value);
    if (!problem.empty()) complain(row, problem);
  }

  // The kernel's place in the list. Its grid stands in columns of its own: "(4096, 1, 1)".
  std::size_t add_kernel(std::size_t row) {
    ProfiledKernel kernel;
    kernel.full_name = table_.text(row, "Kernel Name");
    kernel.name = short_name_of(kernel.full_name);
    kernel.device = table_.text(row, "Device");
    kernels_.push_back(std::move(kernel));
    metrics_.emplace_back();
    first_row_.push_back(row);
    for (const auto& [column, metric] :
         {std::pair{"Grid Size", "launch__grid_size"}, std::pair{"Block Size", "launch__block_size"}})
      if (const auto product = product_of(table_.text(row, column)))
        take(kernels_.size() - 1, row, metric, "", std::to_string(*product));
    return kernels_.size() - 1;
  }

  // "(4096, 2, 1)" -> 8192.
  static std::optional<std::int64_t> product_of(std::string_view extents) {
    constexpr double most = 9e15;
    double product = 1.0;
    if (extents.size() < 2 || extents.front() != '(' || extents.back() != ')') return std::nullopt;
    extents = extents.substr(1, extents.size() - 2);
    while (!extents.empty()) {
      const std::size_t end = std::min(extents.find(','), extents.size());
      std::string_view one = extents.substr(0, end);
      while (one.starts_with(' ')) one.remove_prefix(1);
      const auto value = number_in(one);
      if (!value || *value < 1.0) return std::nullopt;
      product *= *value;
      extents.remove_prefix(std::min(end + 1, extents.size()));
    }
    if (product > most) return std::nullopt;
    return static_cast<std::int64_t>(product);
  }

  // --- a line for each metric of each kernel
  void read_details() {
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> places;  // by process and launch
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      const std::string_view id = table_.text(row, "ID");
      if (id.empty() || id == "ID") continue;  // the header again, of a further process
      const auto [found, is_new] = places.try_emplace({table_.text(row, "Process ID"), id}, kernels_.size());
      if (is_new) static_cast<void>(add_kernel(row));
      take(found->second, row, table_.text(row, "Metric Name"), table_.text(row, "Metric Unit"),
           table_.text(row, "Metric Value"));
    }
  }

  // --- a column for each metric
  void read_raw() {
    std::vector<std::string> wanted;
    for (const std::string& column : table_.columns())
      if (ComputeMetrics::is_wanted(column) && column.find("__") != column.npos) wanted.push_back(column);
    std::vector<std::string> units(wanted.size());
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      const std::string_view id = table_.text(row, "ID");
      if (id == "ID") continue;
      if (id.empty()) {
        for (std::size_t i = 0; i < wanted.size(); ++i) units[i] = table_.text(row, wanted[i]);
        continue;
      }
      const std::size_t kernel = add_kernel(row);
      for (std::size_t i = 0; i < wanted.size(); ++i)
        take(kernel, row, wanted[i], units[i], table_.text(row, wanted[i]));
    }
  }

  const CsvTable& table_;
  Complaints complaints_;
  std::vector<ProfiledKernel> kernels_;
  std::vector<ComputeMetrics> metrics_;  // [kernel]
  std::vector<std::size_t> first_row_;   // [kernel]
};

}  // namespace

bool is_compute_csv(std::string_view text) {
  bool found = false;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for_each_line(text, [&](std::string_view line) { found = found || is_header(line); });
  return found;
}

std::vector<ProfiledKernel> read_compute_csv(std::string_view text, const std::string& file) {
  const CsvTable table = CsvTable::parse(only_the_table(text), file);
  return Reader(table, file).read();
}

}  // namespace echo::nsight
