#include "slowdown/overlap_row.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "ops/canonical_kernel.hpp"

namespace echo::slowdown {
namespace {

constexpr double longest = 1e4;                // s
constexpr std::size_t longest_text = 1 << 20;  // characters: templates of templates have names of kilobytes

bool is_text(std::string_view text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  return text.size() <= longest_text && std::none_of(text.begin(), text.end(), is_control);
}

bool is_word(std::string_view word) { return is_text(word) && word.find(' ') == word.npos; }

bool is_duration(double value) { return value > 0.0 && value <= longest; }

// Whether all of them are numbers from `least` to `most`, or not measured.
bool all_within(std::initializer_list<double> values, double least, double most) {
  return std::all_of(values.begin(), values.end(),
                     [&](double value) { return std::isnan(value) || (value >= least && value <= most); });
}

const char* why_unsound(const KernelMetrics& metrics) {
  if (!all_within({metrics.compute_throughput, metrics.memory_throughput, metrics.dram_throughput,
                   metrics.achieved_occupancy, metrics.maximum_occupancy, metrics.l1_hit_rate,
                   metrics.l2_hit_rate, metrics.tensor_share, metrics.fma_share, metrics.memory_share},
                  0.0, 1.0))
    return "throughputs, occupancies, hit rates and instruction shares must be from 0 to 1";
  if (!all_within({metrics.registers, metrics.shared_memory}, 0.0, 1e9))
    return "registers and shared memory must be from 0 to 10^9";
  if (!all_within({metrics.blocks, metrics.threads}, 1.0, 1e18))
    return "blocks and threads must be 1 or more";
  return nullptr;
}

const char* why_unsound(const Communication& beside) {
  if (!is_word(beside.algorithm) || !is_word(beside.protocol) || beside.algorithm == "unknown" ||
      beside.protocol == "unknown")
    return "algorithm and protocol must be single words, or empty if unknown";
  if (beside.channels < 0 || beside.threads < 0) return "channels and their threads must be 0 or more";
  if (!all_within({beside.payload, beside.link_rate, beside.memory_rate}, 0.0, 1e18))
    return "payload and rates of the communication must be from 0 to 10^18";
  for (const double duration : {beside.alone, beside.overlapped})
    if (!std::isnan(duration) && !is_duration(duration))
      return "durations of the communication must be above 0 and at most 10 000 s";
  if (!all_within({beside.overlap_ratio}, 0.0, 1.0)) return "overlap ratios must be from 0 to 1";
  return nullptr;
}

}  // namespace

const char* why_unsound(const OverlapRow& row) {
  if (row.kernel.empty() || !is_text(row.kernel) || !is_text(row.full_name))
    return "the kernel needs a name of printable characters";
  if (row.gpu.empty() || !is_word(row.gpu)) return "the GPU needs a name without blanks";
  if (row.shape)
    if (const char* problem = ops::why_unsound(*row.shape)) return problem;
  if (!is_duration(row.alone) || !is_duration(row.overlapped))
    return "durations must be above 0 and at most 10 000 s";
  if (!(row.overlap_ratio >= 0.0 && row.overlap_ratio <= 1.0)) return "overlap ratios must be from 0 to 1";
  if (!all_within({row.spread}, 0.0, 10.0)) return "the relative spread must be from 0 to 10";
  if (row.repeats < 1) return "repeats must be 1 or more";
  if (!all_within({row.clock_mhz}, 1.0, 1e5)) return "the clock must be from 1 to 100 000 MHz";
  if (const char* problem = why_unsound(row.metrics)) return problem;
  return why_unsound(row.beside);
}

double slowdown_of(const OverlapRow& row) {
  if (row.overlap_ratio <= 0.0) return 0.0;
  return (row.overlapped - row.alone) / (row.overlap_ratio * row.alone);
}

double overlapped_time(double alone, double overlap_ratio, double slowdown) {
  return alone * (1.0 + overlap_ratio * slowdown);
}

}  // namespace echo::slowdown
