// How sure a memory estimate is.
//
// Problem: a sweep ranks layouts that leave little memory free, and the best of many are those whose memory
// is underestimated. Idea: the logarithm of (memory that a run needs / estimate) follows Student's t with
// four degrees of freedom, centred at zero. Its scale has two parts: an error that a publication's runs share
// (framework release, allocator settings), and errors of the parts of memory (states, activations, the
// rest). So
//   P(fits) = T4(ln(limit / needed) / rel_error).
// Only half of the fragmentation counts as needed: the caching allocator returns cached blocks before it
// fails (c10/cuda/CUDACachingAllocator.cpp), but cannot return all of them; the other half is an error. The
// error that a publication's runs share is the spread of the median errors of eight publications of peak
// memory (echo-sweep validate); those of the parts are assumed. Neglected: runs that ran out of memory
// are seldom published, so the peaks are those of layouts that fit.
#include "simulate/report/memory_fit.hpp"

#include <cmath>

#include "base/student_t.hpp"

namespace echo::simulate {

namespace {

double square(double x) { return x * x; }

}  // namespace

double needed_memory(double peak, double fragmentation) { return peak - 0.5 * fragmentation; }

double memory_that_fits(double limit, double rel_error, double chance) {
  return limit * std::exp(-student_t4_quantile(chance) * rel_error);
}

MemoryFit memory_fit(const ErrorModel& model, const training::MemoryParts& memory, Bytes limit) {
  using training::MemoryPart;
  double states = 0.0, activations = 0.0, rest = 0.0, peak = 0.0;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const auto bytes = static_cast<double>(memory[i].value);
    const auto part = static_cast<MemoryPart>(i);
    (part <= MemoryPart::optimizer ? states : part <= MemoryPart::logits ? activations : rest) += bytes;
    peak += bytes;
  }
  if (peak <= 0.0) return {};
  const auto cached = static_cast<double>(memory[at(MemoryPart::fragmentation)].value);
  const double error =
      std::sqrt(square(model.memory_states * states) + square(model.memory_activations * activations) +
                square(model.memory_rest * rest) + square(model.memory_publication * peak)) /
      peak;
  const double room = std::log(static_cast<double>(limit.value) / needed_memory(peak, cached));
  return {error, student_t4_cdf(room / error)};
}

}  // namespace echo::simulate
