#include "profilers/overlap/metric_config.hpp"

#include <cupti_profiler_host.h>
#include <cupti_result.h>

#include "base/error.hpp"

namespace echo::profilers {

namespace {

void check(CUptiResult outcome, const std::string& what) {
  if (outcome == CUPTI_SUCCESS) return;
  const char* why = nullptr;
  cuptiGetResultString(outcome, &why);
  throw UserError(what + " failed: " + (why != nullptr ? why : "unknown"),
                  "counters are left out of the dataset; durations need none", 1);
}

// A parameter block of CUPTI: zeroes and its own size.
template <class Params>
Params block(std::size_t size) {
  Params params{};
  params.structSize = size;
  return params;
}

}  // namespace

void MetricConfig::Release::operator()(CUpti_Profiler_Host_Object* host) const {
  auto params =
      block<CUpti_Profiler_Host_Deinitialize_Params>(CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
  params.pHostObject = host;
  cuptiProfilerHostDeinitialize(&params);
}

MetricConfig::MetricConfig(const std::string& chip, std::span<const std::uint8_t> availability) {
  auto init = block<CUpti_Profiler_Host_Initialize_Params>(CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
  init.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  init.pChipName = chip.c_str();
  init.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
  check(cuptiProfilerHostInitialize(&init), "CUPTI's metrics of chip " + chip);
  host_.reset(init.pHostObject);

  std::vector<const char*> names = metric_name_pointers();
  auto add = block<CUpti_Profiler_Host_ConfigAddMetrics_Params>(
      CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  add.pHostObject = host_.get();
  add.ppMetricNames = names.data();
  add.numMetrics = names.size();
  check(cuptiProfilerHostConfigAddMetrics(&add), "planning the metrics on chip " + chip);

  auto size = block<CUpti_Profiler_Host_GetConfigImageSize_Params>(
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  size.pHostObject = host_.get();
  check(cuptiProfilerHostGetConfigImageSize(&size), "the size of the metrics' plan");
  image_.resize(size.configImageSize);
  auto image =
      block<CUpti_Profiler_Host_GetConfigImage_Params>(CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  image.pHostObject = host_.get();
  image.configImageSize = image_.size();
  image.pConfigImage = image_.data();
  check(cuptiProfilerHostGetConfigImage(&image), "the metrics' plan");

  auto passes =
      block<CUpti_Profiler_Host_GetNumOfPasses_Params>(CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
  passes.configImageSize = image_.size();
  passes.pConfigImage = image_.data();
  check(cuptiProfilerHostGetNumOfPasses(&passes), "the passes of the metrics' plan");
  passes_ = passes.numOfPasses;
}

MetricValues MetricConfig::values(std::span<const std::uint8_t> counter_data, std::size_t range) const {
  MetricValues values{};
  std::vector<const char*> names = metric_name_pointers();
  auto evaluate = block<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
      CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
  evaluate.pHostObject = host_.get();
  evaluate.pCounterDataImage = counter_data.data();
  evaluate.counterDataImageSize = counter_data.size();
  evaluate.rangeIndex = range;
  evaluate.ppMetricNames = names.data();
  evaluate.numMetrics = names.size();
  evaluate.pMetricValues = values.data();
  check(cuptiProfilerHostEvaluateToGpuValues(&evaluate), "evaluating the counters");
  return values;
}

std::vector<const char*> metric_name_pointers() {
  std::vector<const char*> names;
  names.reserve(metric_names.size());
  for (const std::string_view name : metric_names) names.push_back(name.data());  // literals: end with 0
  return names;
}

}  // namespace echo::profilers
