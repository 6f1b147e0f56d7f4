// Starts and monitors the communication beside a kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "profilers/device/gpu.hpp"
#include "profilers/overlap/communication_plan.hpp"

namespace echo::profilers {

class Companion {
 public:
  virtual ~Companion() = default;
  // Finds out what start() must know of the case; may run something. Once, before any is started.
  virtual void prepare(const CommunicationCase&) = 0;
  // Queues as much of the case as lasts so long alone. What was queued before must have ended.
  virtual void start(const CommunicationCase&, std::int32_t milliseconds) = 0;
  // Whether the GPU is at it.
  [[nodiscard]] virtual bool has_started() const = 0;
  // Records that the last start() leaves, on all devices.
  [[nodiscard]] virtual std::int32_t records() const = 0;
  // Bytes of one communication of the last start(), as ops::CollectiveQuery counts them.
  [[nodiscard]] virtual double payload() const = 0;
};

[[nodiscard]] std::unique_ptr<Companion> proxy_companion();
[[nodiscard]] std::unique_ptr<Companion> copy_companion();
// NCCL's collectives between all GPUs of the process, of which kernels run on `gpu` alone: a collective is as
// slow as its slowest rank. UserError, 1, where NCCL fails or is not built in.
[[nodiscard]] std::unique_ptr<Companion> nccl_companion(const Gpu& gpu);

// Sets NCCL's environment to a ring and Simple unless the user set it; what rows may say of it, empty = NCCL
// chooses. To be called before NCCL is.
struct NcclChoice {
  std::string algorithm, protocol;
};
[[nodiscard]] NcclChoice hold_nccl();

}  // namespace echo::profilers
