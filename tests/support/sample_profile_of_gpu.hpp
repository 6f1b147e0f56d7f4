// Profiles of one GPU, made activity by activity. Times in ns.
#pragma once

#include <string>

#include "overlaps/profile.hpp"

namespace echo::testing {

class GpuProfile {
 public:
  explicit GpuProfile(std::string trace = "t.json", std::int32_t rank = -1, std::int32_t world = -1) {
    profile_.trace = profile_.path = std::move(trace);
    profile_.rank = rank, profile_.world = world;
    profile_.sm_count = 108;
  }
  GpuProfile& kernel(const std::string& name, std::int64_t start, std::int64_t duration,
                     std::int64_t stream = 7, std::int64_t blocks = 64, const std::string& op = "op",
                     const std::string& shape = "") {
    overlaps::Activity one;
    one.name = profile_.texts.add(name), one.op = profile_.texts.add(op);
    one.shape = profile_.texts.add(shape);
    one.start = start, one.duration = duration, one.stream = stream;
    one.launch = static_cast<std::int32_t>(profile_.launches.size());
    profile_.launches.push_back({{blocks, 1, 1}, {128, 1, 1}, 32, 0});
    profile_.activities.push_back(one);
    return *this;
  }
  GpuProfile& collective(const std::string& kind, std::int64_t start, std::int64_t duration,
                         std::int64_t bytes = -1, std::int64_t stream = 20) {
    kernel("nccl_" + kind, start, duration, stream, 8);
    overlaps::Activity& one = profile_.activities.back();
    one.communicates = true;
    one.collective = static_cast<std::int32_t>(profile_.collectives.size());
    profile_.collectives.push_back({kind, "float", "", -1, bytes});
    return *this;
  }
  GpuProfile& copy(std::int64_t start, std::int64_t duration, std::int64_t stream = 9) {
    overlaps::Activity one;
    one.is_kernel = false;
    one.start = start, one.duration = duration, one.stream = stream;
    profile_.activities.push_back(one);
    return *this;
  }
  [[nodiscard]] overlaps::Profile make() const {
    overlaps::Profile out = profile_;
    overlaps::finish(out);
    return out;
  }

 private:
  overlaps::Profile profile_;
};

}  // namespace echo::testing
