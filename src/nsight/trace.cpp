#include "nsight/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/memory_limit.hpp"
#include "base/problems.hpp"
#include "nsight/kernel_name.hpp"
#include "nsight/sqlite.hpp"

namespace echo::nsight {
namespace {

constexpr const char* kernel_table = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::size_t most_kernels = 10'000'000;
constexpr std::int64_t most_gpus = 1'000'000;
constexpr std::int64_t most_threads = 1024;           // of a block, on every GPU
constexpr std::int64_t longest = 10'000'000'000'000;  // ns
constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max() / 4;

using Ids = std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>;  // shortName, demangledName

bool has(const std::vector<std::string>& columns, const std::string& name) {
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

class Reader {
 public:
  explicit Reader(const std::string& path) : file_(path), problems_(path, Problems::rows_of_a_table) {}

  Trace read() {
    read_devices();
    read_kernels();
    name_kernels();
    problems_.throw_if_any();
    read_gpu();
    return std::move(out_);
  }

 private:
  void complain(std::int64_t row, const std::string& what) {
    problems_.error_at(0, 0, fmt::format("row {} of {}: {}", row, kernel_table, what),
                       "export the report again: nsys export --type sqlite FILE.nsys-rep");
  }

  void read_kernels() {
    const std::vector<std::string> columns = file_.columns(kernel_table);
    if (columns.empty())
      file_.refuse(
          fmt::format("it has no table {}; trace with --trace=cuda --cuda-graph-trace=node", kernel_table));
    for (const char* column : {"start", "end", "deviceId", "streamId"})
      if (!has(columns, column)) file_.refuse(fmt::format("{} has no column {}", kernel_table, column));
    if (!has(columns, "shortName") && !has(columns, "demangledName"))
      file_.refuse(fmt::format("{} has no kernel names", kernel_table));
    if (file_.columns("StringIds").empty()) file_.refuse("it has no table StringIds");
    std::string list = "rowid, start, \"end\", deviceId, streamId";
    for (const char* column :
         {"shortName", "demangledName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
          "registersPerThread", "staticSharedMemory", "dynamicSharedMemory", "globalPid"})
      list += has(columns, column) ? std::string(", ") + column : std::string(", NULL");
    SqliteQuery query(file_, "SELECT " + list + " FROM " + kernel_table);
    while (query.next()) {
      if (out_.kernels.size() >= most_kernels)
        file_.refuse("more than 10 000 000 kernels; trace fewer steps");
      read_kernel(query);
    }
    if (out_.kernels.empty() && problems_.errors() == 0) file_.refuse("it has no kernels");
  }

  void read_kernel(const SqliteQuery& query) {
    const std::int64_t row = query.integer(0).value_or(0);
    const auto start = query.integer(1), end = query.integer(2), device = query.integer(3),
               stream = query.integer(4);
    if (start == 0 && end == 0) {  // CUPTI could not time it
      ++out_.without_time;
      return;
    }
    if (!start || !end || *start < 0 || *end <= *start || *end > latest || *end - *start > longest)
      return complain(row, "it does not end after it starts");
    const auto fits = [](std::optional<std::int64_t> value) {
      return value && *value >= 0 && *value <= std::numeric_limits<std::int32_t>::max();
    };
    if (!fits(device) || !fits(stream)) return complain(row, "deviceId and streamId must be whole numbers");
    TracedKernel kernel{.device = gpu_of(query.integer(16), static_cast<std::int32_t>(*device)),
                        .stream = static_cast<std::int32_t>(*stream),
                        .start = *start,
                        .end = *end};
    kernel.blocks = product(query, 7);
    const std::int64_t threads = product(query, 10);
    kernel.threads = threads <= most_threads ? static_cast<std::int32_t>(threads) : 0;
    kernel.registers = static_cast<std::int32_t>(positive(query, 13));
    kernel.shared_memory = positive(query, 14) + positive(query, 15);
    ids_.push_back({query.integer(5), query.integer(6)});
    out_.kernels.push_back(kernel);
    rows_.push_back(row);
  }

  // deviceId counts the devices that a process sees; the report may identify these GPUs.
  void read_devices() {
    const std::vector<std::string> columns = file_.columns("TARGET_INFO_CUDA_DEVICE");
    if (!has(columns, "gpuId") || !has(columns, "cudaId") || !has(columns, "pid")) return;
    SqliteQuery query(file_, "SELECT pid, cudaId, gpuId FROM TARGET_INFO_CUDA_DEVICE");
    while (query.next())
      if (const auto gpu = query.integer(2); gpu && *gpu >= 0 && *gpu <= most_gpus)
        gpus_[{query.integer(0).value_or(-1), query.integer(1).value_or(-1)}] =
            static_cast<std::int32_t>(*gpu);
  }
  [[nodiscard]] std::int32_t gpu_of(std::optional<std::int64_t> global_pid, std::int32_t device) const {
    constexpr std::int64_t pid_mask = 0xFFFFFF;  // bits 24 to 47, as NVIDIA's guide to the export says
    if (!global_pid) return device;
    const auto found = gpus_.find({(*global_pid >> 24) & pid_mask, device});
    return found == gpus_.end() ? device : found->second;
  }

  static std::int64_t positive(const SqliteQuery& query, int column) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    return std::clamp<std::int64_t>(query.integer(column).value_or(0), 0, most);
  }
  // The product of the three extents that start at a column; 0 where one is not known.
  static std::int64_t product(const SqliteQuery& query, int column) {
    constexpr double most = 9e15;
    double out = 1.0;
    for (int axis = 0; axis < 3; ++axis) out *= static_cast<double>(positive(query, column + axis));
    return out > most ? 0 : static_cast<std::int64_t>(out);
  }

  void name_kernels() {
    std::map<Ids, std::int32_t> places;
    SqliteQuery strings(file_, "SELECT value FROM StringIds WHERE id = ?");
    for (std::size_t i = 0; i < out_.kernels.size(); ++i) {
      const auto [found, is_new] = places.try_emplace(ids_[i], static_cast<std::int32_t>(out_.names.size()));
      if (is_new) out_.names.push_back(names_of(strings, ids_[i]));
      out_.kernels[i].name = found->second;
      if (out_.names.back().name.empty() && is_new) complain(rows_[i], "StringIds has no name for it");
    }
    std::stable_sort(out_.kernels.begin(), out_.kernels.end(),
                     [](const TracedKernel& a, const TracedKernel& b) {
                       return std::tuple(a.device, a.start, a.end, a.stream) <
                              std::tuple(b.device, b.start, b.end, b.stream);
                     });
  }

  static KernelNames names_of(SqliteQuery& strings, const Ids& ids) {
    KernelNames names{text_of(strings, ids.first), text_of(strings, ids.second)};
    if (names.name.empty()) names.name = short_name_of(names.full_name);
    names.communicates = is_communication(names.name) || is_communication(names.full_name);
    return names;
  }

  static std::string text_of(SqliteQuery& strings, std::optional<std::int64_t> id) {
    if (!id) return "";
    strings.bind(*id);
    return strings.next() ? strings.text(0).value_or("") : "";
  }

  // A report of different GPUs names none.
  void read_gpu() {
    const std::vector<std::string> columns = file_.columns("TARGET_INFO_GPU");
    if (!has(columns, "name")) return;
    const std::string count = has(columns, "smCount") ? "smCount" : "NULL";
    SqliteQuery query(file_, "SELECT DISTINCT name, " + count + " FROM TARGET_INFO_GPU LIMIT 2");
    if (!query.next()) return;
    const std::string name = query.text(0).value_or("");
    const std::int64_t sm_count = query.integer(1).value_or(0);
    if (query.next()) return;
    out_.gpu = name;
    if (sm_count >= 1 && sm_count <= 4096) out_.sm_count = static_cast<std::int32_t>(sm_count);
  }

  SqliteFile file_;
  Problems problems_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> gpus_;  // by process and deviceId
  std::vector<Ids> ids_;                                                // [kernel as read] of its names
  std::vector<std::int64_t> rows_;                                      // [kernel as read]
  Trace out_;
};

}  // namespace

Trace read_trace(const std::string& path) {
  return within_memory(path, [&] { return Reader(path).read(); });
}

}  // namespace echo::nsight
