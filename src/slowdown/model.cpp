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

void Tables::clear() const {
  for (std::vector<double>* table : {&kernel_factor, &collective_factor, &load_loss}) table->clear();
}

void fill_table(const Model& model, std::span<const ops::KernelPrice> kernels,
                std::span<const ops::CollectiveEstimate> collectives, const Machine& machine,
                const Tables& out) {
  out.clear();
  for (std::vector<double>* table : {&out.kernel_factor, &out.collective_factor, &out.load_loss})
    table->reserve(kernels.size() * collectives.size());
  for (const auto& kernel : kernels) {
    for (const auto& collective : collectives) {
      const Factors factors = predict(model, kernel, collective, machine);
      out.kernel_factor.push_back(factors.kernel);
      out.collective_factor.push_back(factors.collective);
      out.load_loss.push_back(factors.load);
    }
  }
}

}  // namespace echo::slowdown
