#include "profilers/device/activity.hpp"

#include <cupti.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "profilers/device/cuda_check.hpp"

namespace echo::profilers {

namespace {

// CUPTI calls back from threads of its own, without any argument that could point to an object of ours.
struct Recorded {
  std::mutex mutex;
  std::vector<GpuRecord> records;
};
Recorded& recorded() {
  static Recorded all;
  return all;
}

constexpr std::size_t buffer_bytes = std::size_t{4} << 20, alignment = 8;

void check_cupti(CUptiResult outcome, const char* what) {
  if (outcome == CUPTI_SUCCESS) return;
  const char* why = nullptr;
  cuptiGetResultString(outcome, &why);
  fail(what, why != nullptr ? why : "unknown");
}

GpuRecord record_of(const CUpti_ActivityKernel10& k) {
  return {.kind = RecordKind::kernel,
          .name = k.name != nullptr ? k.name : "",
          .device = static_cast<std::int32_t>(k.deviceId),
          .when = {static_cast<std::int64_t>(k.start), static_cast<std::int64_t>(k.end)},
          .shape = {.blocks = std::int64_t{k.gridX} * k.gridY * k.gridZ,
                    .threads = k.blockX * k.blockY * k.blockZ,
                    .registers = k.registersPerThread,
                    .shared_memory = k.staticSharedMemory + k.dynamicSharedMemory}};
}

GpuRecord record_of(const CUpti_ActivityMemcpy6& c) {
  return {.kind = RecordKind::copy,
          .name = {},
          .device = static_cast<std::int32_t>(c.deviceId),
          .when = {static_cast<std::int64_t>(c.start), static_cast<std::int64_t>(c.end)},
          .shape = {},
          .bytes = static_cast<std::int64_t>(c.bytes)};
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, buffer_bytes));
  *size = *buffer != nullptr ? buffer_bytes : 0;
  *most_records = 0;  // as many as fit
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t used) {
  Recorded& all = recorded();
  const std::scoped_lock lock(all.mutex);
  CUpti_Activity* next = nullptr;
  while (cuptiActivityGetNextRecord(buffer, used, &next) == CUPTI_SUCCESS) {
    if (next->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
      all.records.push_back(record_of(*reinterpret_cast<const CUpti_ActivityKernel10*>(next)));
    else if (next->kind == CUPTI_ACTIVITY_KIND_MEMCPY)
      all.records.push_back(record_of(*reinterpret_cast<const CUpti_ActivityMemcpy6*>(next)));
  }
  std::free(buffer);
}

}  // namespace

ActivityTrace::ActivityTrace() {
  recorded().records.clear();
  check_cupti(cuptiActivityRegisterCallbacks(give_buffer, take_buffer), "cuptiActivityRegisterCallbacks");
  check_cupti(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "tracing kernels by CUPTI");
  check_cupti(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY), "tracing copies by CUPTI");
}

ActivityTrace::~ActivityTrace() {
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY);
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

std::vector<GpuRecord> ActivityTrace::take(std::size_t expected, std::int32_t most_tries) {
  std::vector<GpuRecord> taken;
  for (std::int32_t tries = 0; tries < most_tries; ++tries) {
    check_cupti(cuptiActivityFlushAll(0), "cuptiActivityFlushAll");
    {
      Recorded& all = recorded();
      const std::scoped_lock lock(all.mutex);
      taken.insert(taken.end(), all.records.begin(), all.records.end());
      all.records.clear();
    }
    if (taken.size() >= expected) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return taken;
}

}  // namespace echo::profilers
