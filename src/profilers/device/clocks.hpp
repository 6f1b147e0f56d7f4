// NVML's state of a GPU under load. NVML comes with the driver, so it is loaded at run time.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace echo::profilers {

class Clocks {
 public:
  // Clocks of the GPU at this bus address. Without NVML every answer is empty.
  explicit Clocks(const std::string& bus);
  ~Clocks();
  Clocks(const Clocks&) = delete;
  Clocks& operator=(const Clocks&) = delete;

  [[nodiscard]] std::optional<double> multiprocessor_mhz() const;
  [[nodiscard]] std::string driver_version() const;  // "580.65.06"; empty where not known

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace echo::profilers
