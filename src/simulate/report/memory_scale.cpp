#include "simulate/report/memory_scale.hpp"

#include <cmath>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::simulate {

namespace {

double square(double x) { return x * x; }

}  // namespace

MemoryContent memory_content(const training::MemoryParts& memory, training::MemoryPart last) {
  using training::MemoryPart;
  MemoryContent out;
  for (std::size_t i = 0; i <= at(last); ++i) {
    const auto part = static_cast<MemoryPart>(i);
    double& sum = part <= MemoryPart::optimizer ? out.states
                  : part <= MemoryPart::logits  ? out.activations
                                                : out.rest;
    sum += static_cast<double>(memory[i].value);
  }
  return out;
}

double memory_scale(const ErrorModel& model, const MemoryContent& holds) {
  const double all = holds.sum();
  ECHO_EXPECT(all > 0.0);
  return std::sqrt(square(model.memory_states * holds.states / all) +
                   square(model.memory_activations * holds.activations / all) +
                   square(model.memory_rest * holds.rest / all) + square(model.memory_publication));
}

}  // namespace echo::simulate
