// How sure a memory estimate is.
//
// Problem: a sweep ranks layouts that leave little memory free, and the best of many are those whose memory
// is underestimated. Idea: the logarithm of (memory that a run needs / estimate) follows Student's t with
// four degrees of freedom, centred at zero. Its scale has two parts: an error that a publication's runs share
// (framework release, allocator settings), and errors of the parts of memory (states, activations, the
// rest). So
//   P(fits) = T4(ln(limit / needed) / rel_error).
// Only half of the fragmentation counts as needed: the caching allocator returns cached blocks before it
// fails (c10/cuda/CUDACachingAllocator.cpp), but cannot return all of them; the other half is an error.
// All scales are fitted to published figures of peak memory (calibrate/memory/memory_error_fit.cpp).
// Neglected: those figures are of layouts that fitted; runs that went out of memory take no part in the fit
// and check it (sweeps/published/out_of_memory.csv).
#include "simulate/report/memory_fit.hpp"

#include <cmath>

#include "base/at.hpp"
#include "base/student_t.hpp"
#include "simulate/report/memory_scale.hpp"

namespace echo::simulate {

double needed_memory(double peak, double fragmentation) { return peak - 0.5 * fragmentation; }

double memory_that_fits(double limit, double rel_error, double chance) {
  return limit * std::exp(-student_t4_quantile(chance) * rel_error);
}

MemoryFit memory_fit(const ErrorModel& model, const training::MemoryParts& memory, Bytes limit) {
  using training::MemoryPart;
  const MemoryContent holds = memory_content(memory, MemoryPart::context);
  if (holds.sum() <= 0.0) return {};
  const auto cached = static_cast<double>(memory[at(MemoryPart::fragmentation)].value);
  const double error = memory_scale(model, holds);
  const double room = std::log(static_cast<double>(limit.value) / needed_memory(holds.sum(), cached));
  return {error, student_t4_cdf(room / error)};
}

}  // namespace echo::simulate
