#include "campaign/terms.hpp"

#include <algorithm>

namespace echo::campaign {

const GpuHourPrice* find_price(const Economics& economics, std::string_view cluster, std::string_view gpu) {
  for (const std::string_view name : {cluster, gpu, std::string_view()}) {
    const auto found = std::ranges::find(economics.gpu_hour, name, &GpuHourPrice::name);
    if (found != economics.gpu_hour.end()) return &*found;
  }
  return nullptr;
}

}  // namespace echo::campaign
