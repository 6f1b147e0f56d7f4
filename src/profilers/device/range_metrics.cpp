#include "profilers/device/range_metrics.hpp"

#include <cupti.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <string>
#include <vector>

#include "profilers/device/cuda_check.hpp"
#include "profilers/overlap/metric_config.hpp"

namespace echo::profilers {

namespace {

constexpr std::size_t most_ranges = 16;

void check_cupti(CUptiResult outcome, const char* what) {
  if (outcome == CUPTI_SUCCESS) return;
  const char* why = nullptr;
  cuptiGetResultString(outcome, &why);
  std::string text = why != nullptr ? why : "unknown";
  if (outcome == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
    text += " (ERR_NVGPUCTRPERM: the driver keeps counters for administrators; see src/profilers/README.md)";
  fail(what, text);
}

template <class Params>
Params block(std::size_t size) {
  Params params{};
  params.structSize = size;
  return params;
}

// The driver's entry point, obtained from the runtime, since nothing here links libcuda.
CUcontext current_context() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &entry, 4000, cudaEnableDefault, &found),
        "looking up cuCtxGetCurrent");
  CUcontext context = nullptr;
  if (entry == nullptr || found != cudaDriverEntryPointSuccess ||
      reinterpret_cast<CUresult (*)(CUcontext*)>(entry)(&context) != CUDA_SUCCESS || context == nullptr)
    fail("looking up the CUDA context", "the driver gives none");
  return context;
}

std::string chip_name(std::int32_t device) {
  auto params = block<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  params.deviceIndex = static_cast<std::size_t>(device);
  check_cupti(cuptiDeviceGetChipName(&params), "cuptiDeviceGetChipName");
  return params.pChipName;
}

// Called twice: for the size, then for the bytes. Where permissions are missing, CUPTI reports it here.
std::vector<std::uint8_t> available_counters(CUcontext context) {
  auto params = block<CUpti_Profiler_GetCounterAvailability_Params>(
      CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
  params.ctx = context;
  check_cupti(cuptiProfilerGetCounterAvailability(&params), "asking for the GPU's counters");
  std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  check_cupti(cuptiProfilerGetCounterAvailability(&params), "asking for the GPU's counters");
  return image;
}

void initialize() {
  auto params = block<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  check_cupti(cuptiProfilerInitialize(&params), "cuptiProfilerInitialize");
}

// From enabling to disabling, around one launch.
class Session {
 public:
  Session(CUcontext context, const MetricConfig& config) : config_(config) {
    auto enable = block<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
    enable.ctx = context;
    check_cupti(cuptiRangeProfilerEnable(&enable), "cuptiRangeProfilerEnable");
    profiler_ = enable.pRangeProfilerObject;
  }
  ~Session() {
    auto disable = block<CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
    disable.pRangeProfilerObject = profiler_;
    cuptiRangeProfilerDisable(&disable);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void collect(const std::function<void()>& launch) {
    make_room();
    configure();
    auto start = block<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
    start.pRangeProfilerObject = profiler_;
    check_cupti(cuptiRangeProfilerStart(&start), "starting the range profiler");
    launch();
    check(cudaDeviceSynchronize(), "a profiled kernel");
    auto stop = block<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
    stop.pRangeProfilerObject = profiler_;
    check_cupti(cuptiRangeProfilerStop(&stop), "stopping the range profiler");
    auto decode =
        block<CUpti_RangeProfiler_DecodeData_Params>(CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
    decode.pRangeProfilerObject = profiler_;
    check_cupti(cuptiRangeProfilerDecodeData(&decode), "decoding the counters");
  }

  [[nodiscard]] MetricValues longest_kernel() const {
    auto info = block<CUpti_RangeProfiler_GetCounterDataInfo_Params>(
        CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
    info.pCounterDataImage = data_.data();
    info.counterDataImageSize = data_.size();
    check_cupti(cuptiRangeProfilerGetCounterDataInfo(&info), "reading the counter data");
    if (info.numTotalRanges == 0) fail("collecting counters", "the range profiler saw no kernel");
    MetricValues longest{};
    for (std::size_t range = 0; range < info.numTotalRanges; ++range) {
      const MetricValues values = config_.values(data_, range);
      if (range == 0 || values[duration_metric] > longest[duration_metric]) longest = values;
    }
    return longest;
  }

 private:
  // An empty image for the counters of up to `most_ranges` kernels.
  void make_room() {
    std::vector<const char*> names = metric_name_pointers();
    auto size = block<CUpti_RangeProfiler_GetCounterDataSize_Params>(
        CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = most_ranges;
    size.maxNumRangeTreeNodes = most_ranges;
    check_cupti(cuptiRangeProfilerGetCounterDataSize(&size), "the size of the counter data");
    data_.assign(size.counterDataSize, 0);
    auto empty = block<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
        CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
    empty.pRangeProfilerObject = profiler_;
    empty.counterDataSize = data_.size();
    empty.pCounterData = data_.data();
    check_cupti(cuptiRangeProfilerCounterDataImageInitialize(&empty), "preparing the counter data");
  }

  void configure() {
    auto set = block<CUpti_RangeProfiler_SetConfig_Params>(CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
    set.pRangeProfilerObject = profiler_;
    set.configSize = config_.image().size();
    set.pConfig = config_.image().data();
    set.counterDataImageSize = data_.size();
    set.pCounterDataImage = data_.data();
    set.range = CUPTI_AutoRange;          // one range per kernel
    set.replayMode = CUPTI_KernelReplay;  // all passes at its launch
    set.maxRangesPerPass = most_ranges;
    set.numNestingLevels = 1;
    set.minNestingLevel = 1;
    set.targetNestingLevel = 1;
    check_cupti(cuptiRangeProfilerSetConfig(&set), "configuring the range profiler");
  }

  const MetricConfig& config_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  std::vector<std::uint8_t> data_;
};

}  // namespace

struct RangeProfiler::Chip {
  explicit Chip(const Gpu& gpu)
      : context(current_context()), config(chip_name(gpu.index), available_counters(context)) {}
  CUcontext context;
  MetricConfig config;
};

RangeProfiler::RangeProfiler(const Gpu& gpu) {
  check(cudaFree(nullptr), "creating a CUDA context");
  initialize();
  chip_ = std::make_unique<Chip>(gpu);
}

RangeProfiler::~RangeProfiler() = default;

MetricValues RangeProfiler::measure(const std::function<void()>& launch) {
  Session session(chip_->context, chip_->config);
  session.collect(launch);
  return session.longest_kernel();
}

}  // namespace echo::profilers
