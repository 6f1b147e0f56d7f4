// A row becomes the price of a kernel and the estimate of a collective as a sweep would have them.
//
//   Kernel.  Products and attention are bound by arithmetic, other kernels by memory. Blocks per SM at a time
//     follow from registers, shared memory and threads (CUDA programming guide, technical specifications by
//     compute capability), so that blocks / occupancy run one per SM at a time, as KernelPrice has it. Norms
//     of Apex, Transformer Engine and flash-attention launch as many CTAs as fit, a multiple of the SMs, and
//     assign rows to them in advance: those that find no SM run in a second round.
//   Collective.  CTAs as recorded. HBM traffic is three times what passes the bus (a maintainer in
//     NVIDIA/nccl issue 1428: 2 to 3), 2 (n - 1) / n of an all-reduce's bytes and (n - 1) / n of the others'.
//     Without sizes the load is unknown, and taken as none: most of a collective's time in such profiles is
//     waiting.
#include "slowdown/profile_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/problems.hpp"

namespace echo::slowdown {

namespace {

// Memory bandwidth, shared memory and threads per SM, from data sheets and the CUDA programming guide. The
// first whose name begins the row's.
struct GpuKind {
  std::string_view name;
  double bandwidth;         // bytes per second
  double shared_memory;     // bytes per SM
  double threads = 2048.0;  // per SM: 1536 of compute capability 8.6 and 8.9, 1024 of 7.5
};
constexpr double kib = 1024.0;
constexpr std::array gpu_kinds{
    GpuKind{"A100-SXM4-80GB", 2.039e12, 164 * kib},
    GpuKind{"A100-PCIE-80GB", 1.935e12, 164 * kib},
    GpuKind{"A100 80GB", 1.935e12, 164 * kib},
    GpuKind{"A100", 1.555e12, 164 * kib},  // PG509-200 and SXM4-40GB
    GpuKind{"A800", 2.039e12, 164 * kib},
    GpuKind{"A30", 0.933e12, 164 * kib},
    GpuKind{"V100-SXM3", 0.981e12, 96 * kib},
    GpuKind{"V100", 0.900e12, 96 * kib},
    GpuKind{"H100 PCIe", 2.039e12, 228 * kib},
    GpuKind{"H100 NVL", 3.938e12, 228 * kib},
    GpuKind{"H100", 3.350e12, 228 * kib},
    GpuKind{"H800", 3.350e12, 228 * kib},
    GpuKind{"H200", 4.800e12, 228 * kib},
    GpuKind{"H20", 4.000e12, 228 * kib},
    GpuKind{"GH200", 4.000e12, 228 * kib},
    GpuKind{"B200", 8.000e12, 228 * kib},
    GpuKind{"GB200", 8.000e12, 228 * kib},
    GpuKind{"B300", 8.000e12, 228 * kib},
    GpuKind{"GB300", 8.000e12, 228 * kib},
    GpuKind{"A10G", 0.600e12, 100 * kib, 1536},
    GpuKind{"A10", 0.600e12, 100 * kib, 1536},
    GpuKind{"A40", 0.696e12, 100 * kib, 1536},
    GpuKind{"A6000", 0.768e12, 100 * kib, 1536},
    GpuKind{"RTX A6000", 0.768e12, 100 * kib, 1536},
    GpuKind{"RTX A5000", 0.768e12, 100 * kib, 1536},
    GpuKind{"RTX A4000", 0.448e12, 100 * kib, 1536},
    GpuKind{"RTX 6000 Ada", 0.960e12, 100 * kib, 1536},
    GpuKind{"GeForce RTX 5090", 1.792e12, 100 * kib, 1536},
    GpuKind{"GeForce RTX 4090", 1.008e12, 100 * kib, 1536},
    GpuKind{"GeForce RTX 3090 Ti", 1.008e12, 100 * kib, 1536},
    GpuKind{"GeForce RTX 3090", 0.936e12, 100 * kib, 1536},
    GpuKind{"GeForce RTX 3080", 0.760e12, 100 * kib, 1536},
    GpuKind{"GeForce RTX 2080 Ti", 0.616e12, 64 * kib, 1024},
    GpuKind{"TITAN V", 0.653e12, 96 * kib},
    GpuKind{"Quadro RTX 8000", 0.672e12, 64 * kib, 1024},
    GpuKind{"Quadro RTX 6000", 0.672e12, 64 * kib, 1024},
    GpuKind{"L20", 0.864e12, 100 * kib, 1536},
    GpuKind{"L40S", 0.864e12, 100 * kib, 1536},
    GpuKind{"L40", 0.864e12, 100 * kib, 1536},
    GpuKind{"L4", 0.300e12, 100 * kib, 1536},
    GpuKind{"T4", 0.320e12, 64 * kib, 1024},
    GpuKind{"P100", 0.732e12, 64 * kib},
    GpuKind{"MI100", 1.229e12, 64 * kib},
    GpuKind{"MI210", 1.638e12, 64 * kib},
    GpuKind{"MI250", 1.638e12, 64 * kib},  // one of the two dies of a module
    GpuKind{"MI300X", 5.300e12, 64 * kib},
    GpuKind{"MI325X", 6.000e12, 64 * kib},
    GpuKind{"MI308X", 5.300e12, 64 * kib},
    GpuKind{"MI350X", 8.000e12, 160 * kib},
    GpuKind{"MI355X", 8.000e12, 160 * kib},
};
// A name without its maker.
std::string_view without_maker(std::string_view name) {
  for (const std::string_view maker : {"NVIDIA ", "Tesla ", "AMD Instinct ", "AMD ", "Instinct "})
    if (name.starts_with(maker)) name.remove_prefix(maker.size());
  return name;
}
const GpuKind* kind_of(std::string_view name) {
  name = without_maker(name);
  for (const GpuKind& kind : gpu_kinds)
    if (name.starts_with(kind.name)) return &kind;
  return nullptr;
}

constexpr double registers_of_sm = 65536, blocks_of_sm = 32, reserved_per_block = 1024;

class Reader {
 public:
  Reader(const CsvTable& table, const ProfileReading& reading) : table_(table), reading_(reading) {}

  std::vector<ProfileRow> read() {
    std::vector<ProfileRow> out;
    out.reserve(table_.rows());
    for (row_ = 0; row_ < table_.rows(); ++row_) {
      try {
        out.push_back(row());
      } catch (const UserError& error) {
        for (const Problem& p : error.problems()) problems_.error(p.place, p.what, p.remedy);
      }
    }
    problems_.throw_if_any();
    return out;
  }

 private:
  [[nodiscard]] std::string text(const char* column) const { return std::string(table_.text(row_, column)); }
  [[nodiscard]] double number(const char* column, double otherwise) const {
    return table_.number(row_, column).value_or(otherwise);
  }
  // The share of the time with communication beside it.
  double share(const char* column) {
    const auto value = table_.number(row_, column);
    if (value && *value >= 0.0 && *value <= 1.0 + 1e-6) return std::min(1.0, *value);
    problems_.error(table_.place(row_, column), std::string(column) + " is missing or out of bounds",
                    "the share of the kernel's time during which communication ran, from 0 to 1");
    return 0.0;
  }

  ProfileRow row() {
    ProfileRow out;
    out.number = row_ + 1;
    out.recommended = number("recommended", 0.0) > 0.0;
    out.gpu = text("gpu"), out.kernel_class = text("class"), out.collective_name = text("comm_kind");
    out.group = table_.has("run_group") ? text("run_group") : text("trace");
    const auto slowdown = table_.number(row_, "slowdown");
    if (slowdown && !(*slowdown > 0.0))
      problems_.error(table_.place(row_, "slowdown"), "slowdown is not positive",
                      "the time beside communication over the time alone");
    out.slowdown = slowdown.value_or(0.0);
    out.alone = number("alone_median_us", 0.0) * 1e-6;
    const std::string kind = text("row_kind");
    if (kind != "compute" && kind != "comm")
      problems_.error(table_.place(row_, "row_kind"), "\"" + kind + "\" is no kind of row",
                      "compute or comm");
    out.why_not = kind == "comm" ? "a collective's time includes waiting for its peers" : "";
    if (out.why_not.empty() && !slowdown) out.why_not = "no slowdown is stated";
    if (!out.why_not.empty()) return out;
    out.beside = share("ov_frac");
    const std::string& name = out.kernel_class;
    out.multiplies = name == "gemm" || name == "grouped_gemm" || name == "conv" || name == "attention";
    const GpuKind* gpu = kind_of(out.gpu);
    const double sms = number("sm_count", 0.0);
    if (gpu == nullptr) out.why_not = "no data sheet is known of a GPU of this name";
    if (sms < 1.0) out.why_not = "the row does not say how many SMs its GPU has";
    if (!out.why_not.empty()) return out;
    out.machine = {static_cast<std::int32_t>(sms), gpu->bandwidth};
    out.kernel = kernel_of(out, *gpu);
    out.collective = collective_of(out);
    out.metrics.maximum_occupancy = number("est_occupancy_pct", not_measured) / 100.0;
    out.metrics.registers = number("regs", not_measured);
    out.metrics.shared_memory = number("smem_bytes", not_measured);
    out.metrics.blocks = number("ctas", not_measured);
    out.metrics.threads = number("threads_per_cta", not_measured);
    return out;
  }

  // Blocks that one SM holds at a time.
  [[nodiscard]] double occupancy(const GpuKind& gpu) const {
    const double threads = number("threads_per_cta", 0.0), registers = number("regs", 0.0);
    if (threads <= 0.0) return 1.0;
    double held = std::min(blocks_of_sm, std::floor(gpu.threads / threads));
    if (registers > 0.0)
      held = std::min(held, std::floor(registers_of_sm / (8.0 * std::ceil(registers / 8.0) * threads)));
    held = std::min(held, std::floor(gpu.shared_memory / (number("smem_bytes", 0.0) + reserved_per_block)));
    return std::max(1.0, held);
  }

  [[nodiscard]] ops::KernelPrice kernel_of(const ProfileRow& row, const GpuKind& gpu) const {
    const double ctas = number("ctas", 0.0), held = occupancy(gpu), sms = row.machine.sm_count;
    ops::KernelPrice price{.alone = from_seconds(row.alone)};
    // Without registers the occupancy is not known, and grids of AMD's profiles may count threads.
    const bool counts_blocks = ctas > 0.0 && number("regs", 0.0) > 0.0;
    price.sm_share = counts_blocks ? std::min(1.0, ctas / held / sms) : 1.0;
    if (row.multiplies) {
      price.compute_bound = 1.0, price.by_memory = reading_.product_by_memory;
      if (counts_blocks) price.blocks = ctas / held, price.wave_loss = reading_.product_wave_loss;
      return price;
    }
    price.by_memory = 1.0;
    if (row.kernel_class == "norm" && counts_blocks && ctas >= sms && ctas <= held * sms &&
        std::fmod(ctas, sms) == 0.0) {
      price.compute_bound = 1.0;  // as far as SMs are lost
      price.blocks = sms, price.wave_loss = reading_.resident_wave_loss;
    }
    return price;
  }

  [[nodiscard]] ops::CollectiveEstimate collective_of(const ProfileRow& row) const {
    ops::CollectiveEstimate out;
    out.channels = static_cast<std::int32_t>(std::clamp(number("comm_ctas", 0.0), 0.0, 1e6));
    const std::string& kind = row.collective_name;
    if (kind == "ep_dispatch" || kind == "ep_combine") out.memory_rate = reading_.deepep_memory_rate;
    const auto rate = table_.number(row_, "comm_algbw_GBps");
    if (!rate) return out;
    double ranks = number("group_size", 0.0);
    if (ranks < 2.0) ranks = number("world_size", 0.0);
    if (ranks < 2.0) ranks = 8.0;
    const double steps = kind == "all_reduce" ? 2.0 : 1.0;
    out.memory_rate = 3.0 * steps * (ranks - 1.0) / ranks * std::max(0.0, *rate) * 1e9;
    return out;
  }

  const CsvTable& table_;
  const ProfileReading& reading_;
  Problems problems_;
  std::size_t row_ = 0;
};

}  // namespace

bool is_profile_table(const CsvTable& table) {
  for (const char* column :
       {"row_kind", "class", "gpu", "sm_count", "ov_frac", "comm_kind", "comm_ctas", "slowdown"})
    if (!table.has(column)) return false;
  return true;
}

std::vector<ProfileRow> read_profile_rows(const CsvTable& table, const ProfileReading& reading) {
  return Reader(table, reading).read();
}

double slowdown_beside(const ProfileRow& row, double factor) {
  // The share `beside` of the time measured was slowed: alone = ((1 - beside) + beside / factor) measured.
  return 1.0 / ((1.0 - std::min(1.0, row.beside)) + std::min(1.0, row.beside) / factor);
}

}  // namespace echo::slowdown
