#include "profilers/device/clocks.hpp"

#include <dlfcn.h>

#include <array>

namespace echo::profilers {

namespace {

// From NVML's API reference; the toolkit does not always include nvml.h.
struct NvmlDevice;
constexpr int nvml_success = 0, nvml_clock_sm = 1;

struct CloseLibrary {
  void operator()(void* library) const { dlclose(library); }
};

}  // namespace

struct Clocks::Library {
  std::unique_ptr<void, CloseLibrary> handle{dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)};
  NvmlDevice* device = nullptr;
  int (*clock)(NvmlDevice*, int, unsigned*) = nullptr;
  int (*driver)(char*, unsigned) = nullptr;
  int (*shutdown)() = nullptr;

  template <class Function>
  bool find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle.get(), name));
    return function != nullptr;
  }

  bool open(const std::string& bus) {
    int (*init)() = nullptr;
    int (*by_bus)(const char*, NvmlDevice**) = nullptr;
    if (!handle || !find(init, "nvmlInit_v2") || !find(by_bus, "nvmlDeviceGetHandleByPciBusId_v2") ||
        !find(clock, "nvmlDeviceGetClockInfo") || !find(driver, "nvmlSystemGetDriverVersion") ||
        !find(shutdown, "nvmlShutdown") || init() != nvml_success)
      return false;
    if (by_bus(bus.c_str(), &device) == nvml_success) return true;
    shutdown();
    return false;
  }
};

Clocks::Clocks(const std::string& bus) : library_(std::make_unique<Library>()) {
  if (!library_->open(bus)) library_.reset();
}

Clocks::~Clocks() {
  if (library_) library_->shutdown();
}

std::optional<double> Clocks::multiprocessor_mhz() const {
  unsigned mhz = 0;
  if (!library_ || library_->clock(library_->device, nvml_clock_sm, &mhz) != nvml_success)
    return std::nullopt;
  return static_cast<double>(mhz);
}

std::string Clocks::driver_version() const {
  std::array<char, 96> version{};
  if (!library_ || library_->driver(version.data(), static_cast<unsigned>(version.size())) != nvml_success)
    return {};
  return version.data();
}

}  // namespace echo::profilers
