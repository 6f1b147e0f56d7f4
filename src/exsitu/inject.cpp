// libecho_inject.so: loaded by CUDA's driver as it starts (CUDA_INJECTION64_PATH), it lets CUPTI record the
// activity of the GPU and the host's requests for it. Kernels keep running concurrently; of CUDA's thousands
// of functions only those that put work on a stream are timed. Errors here are reported and never affect the
// program.
//
// NCCL's own kernels never run under libecho_nccl.so, so its calls have no place in CUPTI's records. They
// get one from the host's order of calls to a stream, for which that library asks this one for CUPTI's
// number of the stream; and GPU work that it does for a call (data_rule.hpp) is marked as such by an
// external correlation.
#include <cupti.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <string>

#include "exsitu/activity_record.hpp"
#include "exsitu/buffer_pool.hpp"
#include "exsitu/gpu_side.hpp"
#include "exsitu/record_file.hpp"
#include "exsitu/settings.hpp"

namespace echo::exsitu {

namespace {

struct Tracing {
  RecordFile file;
  BufferPool buffers;
  std::mutex mutex;  // of names; buffers are read one at a time, so that their records stay together
  NameTable names;
  Tracing(const std::string& path, const FileHeader& header)
      : file(path, settings().most_bytes, header),
        buffers(static_cast<std::size_t>(settings().gpu_buffers), std::size_t{1} << 20) {}
};
Tracing* tracing = nullptr;  // never ended: CUPTI's threads may outlive statics

std::uint64_t CUPTIAPI timestamp() { return static_cast<std::uint64_t>(monotonic_ns()); }

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = tracing->buffers.take();
  *size = *buffer == nullptr ? 0 : tracing->buffers.bytes_each();
  *most_records = 0;  // as many as fit
}

void keep(const CUpti_Activity& activity) {
  std::optional<NamedRecord> kept = record_of(activity);
  if (!kept) return;
  if (!kept->name.empty()) {
    const NameTable::Number number = tracing->names.of(kept->name);
    if (number.is_new) tracing->file.put_text(What::text_of_name, number.number, kept->name);
    kept->record.name = number.number;
  }
  tracing->file.put(kept->record);
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                          std::size_t used) {
  {
    const std::scoped_lock lock(tracing->mutex);
    CUpti_Activity* next = nullptr;
    while (buffer != nullptr && cuptiActivityGetNextRecord(buffer, used, &next) == CUPTI_SUCCESS) keep(*next);
    std::size_t lost = 0;
    if (cuptiActivityGetNumDroppedRecords(context, stream, &lost) == CUPTI_SUCCESS && lost > 0)
      tracing->file.put(GpuRecord{.what = What::lost, .start = static_cast<std::int64_t>(lost)});
  }
  tracing->buffers.give_back(buffer);
}

bool succeeded(CUptiResult outcome, const char* what) {
  if (outcome == CUPTI_SUCCESS) return true;
  const char* why = nullptr;
  cuptiGetResultString(outcome, &why);
  complain(std::string("GPU tracing: ") + what + ": " + (why == nullptr ? "unknown error" : why));
  return false;
}

// Only those functions; all functions where this CUPTI cannot select.
bool enable_calls(CUpti_CallbackDomain domain, CUpti_CallbackId end, CUpti_ActivityKind all,
                  CUptiResult (*enable)(CUpti_CallbackId, std::uint8_t)) {
  for (CUpti_CallbackId call = 1; call < end; ++call) {
    const char* name = nullptr;
    if (cuptiGetCallbackName(domain, call, &name) != CUPTI_SUCCESS || name == nullptr || !enqueues(name))
      continue;
    if (enable(call, 1) != CUPTI_SUCCESS)
      return succeeded(cuptiActivityEnable(all), "timing CUDA's functions");
  }
  return true;
}

bool enable() {
  if (!succeeded(cuptiActivityRegisterCallbacks(give_buffer, take_buffer), "registering buffers"))
    return false;
  if (!succeeded(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "recording kernels"))
    return false;
  bool all = true;  // the rest is worth having even where some of it is not to be had
  all &= succeeded(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY), "recording copies");
  all &= succeeded(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET), "recording fills");
  all &= succeeded(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION), "recording synchronisations");
  all &= succeeded(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CUDA_EVENT), "recording events");
  all &= succeeded(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_OVERHEAD), "recording overhead");
  all &= succeeded(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MARKER), "recording NVTX");
  all &= succeeded(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION), "correlating NCCL's calls");
  cuptiActivityEnableAllSyncRecords(0);  // no records of queries that find work not yet done
  all &= enable_calls(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_SIZE, CUPTI_ACTIVITY_KIND_RUNTIME,
                      cuptiActivityEnableRuntimeApi);
  all &= enable_calls(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_SIZE, CUPTI_ACTIVITY_KIND_DRIVER,
                      cuptiActivityEnableDriverApi);
  cuptiActivityFlushPeriod(1000);  // ms
  return all;
}

std::uint32_t stream_id(void* stream) {
  std::uint32_t id = Record::no_stream_id;
  if (cuptiGetStreamIdEx(nullptr, static_cast<CUstream>(stream), 0, &id) != CUPTI_SUCCESS)
    return Record::no_stream_id;
  return id;
}
void push(std::uint64_t serial) {
  cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, serial);
}
void pop() {
  std::uint64_t last = 0;
  cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
}

void flush() { cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED); }

void start() {
  static bool started = false;
  if (started) return;
  started = true;
  FileHeader header = header_of_process();
  std::uint32_t version = 0;
  if (cuptiGetVersion(&version) == CUPTI_SUCCESS) header.library = static_cast<std::int32_t>(version);
  // Else CUPTI's own clock, which is wall-clock time.
  header.has_unix_times = cuptiActivityRegisterTimestampCallback(timestamp) == CUPTI_SUCCESS ? 0 : 1;
  tracing = new Tracing(file_name(settings().gpu_trace_file, getpid(), settings().rank), header);
  if (!enable()) complain("GPU tracing is not complete; the program goes on");
  std::atexit(flush);
  using Set = void (*)(const GpuSide*);
  const GpuSide side{.stream_id = stream_id, .push = push, .pop = pop};
  if (const auto set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "echo_nccl_set_gpu_side"))) set(&side);
}

}  // namespace

}  // namespace echo::exsitu

// The name that the driver looks for; 1 is success. It never returns less, so that the program continues.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  echo::exsitu::start();
  return 1;
}
