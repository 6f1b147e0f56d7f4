#include "slowdown/model.hpp"

#include "base/contract.hpp"

namespace echo::slowdown {

Factors predict(const Model& model, const ops::KernelPrice& kernel, const ops::CollectiveEstimate& collective,
                const Machine& machine) {
  const auto* contention = std::get_if<Contention>(&model);
  if (contention == nullptr) return {};
  if (collective.channels == 0 && collective.memory_rate <= 0.0) return {};  // nothing runs on this GPU
  ECHO_EXPECT(machine.sm_count > 0 && machine.memory_bandwidth > 0.0 && contention->sustained_memory > 0.0);
  const Factors factors = contend(*contention, kernel, collective, machine);
  ECHO_ENSURE(factors.kernel >= 1.0 && factors.collective >= 1.0);
  return factors;
}

void fill_table(const Model& model, std::span<const ops::KernelPrice> kernels,
                std::span<const ops::CollectiveEstimate> collectives, const Machine& machine,
                std::vector<double>& kernel_factor, std::vector<double>& collective_factor) {
  kernel_factor.clear();
  collective_factor.clear();
  kernel_factor.reserve(kernels.size() * collectives.size());
  collective_factor.reserve(kernels.size() * collectives.size());
  for (const auto& kernel : kernels) {
    for (const auto& collective : collectives) {
      const Factors factors = predict(model, kernel, collective, machine);
      kernel_factor.push_back(factors.kernel);
      collective_factor.push_back(factors.collective);
    }
  }
}

}  // namespace echo::slowdown
