// Read-only bytes held once per node in a shared window: measured kernels, the learned slowdown model.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "parallel/session.hpp"

namespace echo::parallel {

class SharedTable {
 public:
  // Collective. `bytes` matters on worker 0 only.
  SharedTable(const Session&, const std::string& bytes);
  SharedTable(const SharedTable&) = delete;
  SharedTable& operator=(const SharedTable&) = delete;
  ~SharedTable();  // collective; before the Session ends
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  struct Window;
  std::vector<std::byte> own_;      // of a single worker
  std::unique_ptr<Window> window_;  // else
  std::span<const std::byte> bytes_;
};

}  // namespace echo::parallel
