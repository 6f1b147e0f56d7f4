// Appends ops to a block, interning kernels and collectives as it goes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "workload/workload.hpp"

namespace echo::workload {

using OpIndex = std::int32_t;

class Builder {
 public:
  explicit Builder(Workload& out) : out_(out) {}

  // Clears everything; buffers are kept.
  void start();
  // Opens the next block and returns its index; ops go to the open block.
  std::int32_t open_block();

  // An op on the compute lane, in lane order; `needs` are communication ops it must wait for.
  OpIndex compute(Part part, const ops::KernelKey& kernel, std::initializer_list<OpIndex> needs = {});
  // An op on a communication lane that starts when the ops in `needs` are done.
  OpIndex communicate(Lane lane, Part part, const ops::CollectiveQuery& query,
                      std::initializer_list<OpIndex> needs);
  [[nodiscard]] OpIndex last_compute() const { return last_compute_; }

  std::int32_t intern(const ops::KernelKey& kernel);
  std::int32_t intern(const ops::CollectiveQuery& query);

  // Call once at the end: collective indices move behind the kernels, everywhere.
  void finish();

 private:
  OpGraph& block() { return out_.blocks[static_cast<std::size_t>(out_.block_count - 1)]; }
  Workload& out_;
  OpIndex last_compute_ = -1;
  std::size_t kernel_hint_ = 0, collective_hint_ = 0;  // where the last look-up ended
};

}  // namespace echo::workload
