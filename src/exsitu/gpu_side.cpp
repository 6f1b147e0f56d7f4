#include "exsitu/gpu_side.hpp"

#include <atomic>

namespace echo::exsitu {

static std::atomic<const GpuSide*> there{nullptr};

void set_gpu_side(const GpuSide* side) {
  there.store(side == nullptr ? nullptr : new GpuSide(*side), std::memory_order_release);
}

GpuSide gpu_side() {
  const GpuSide* side = there.load(std::memory_order_acquire);
  return side == nullptr ? GpuSide{} : *side;
}

}  // namespace echo::exsitu
