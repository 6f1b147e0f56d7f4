#include "exsitu/answers.hpp"

#include <cstdlib>
#include <mutex>
#include <new>
#include <set>
#include <string>

#include "exsitu/communicator.hpp"
#include "exsitu/cuda_calls.hpp"
#include "exsitu/op_record.hpp"
#include "exsitu/record_file.hpp"
#include "exsitu/settings.hpp"

namespace echo::exsitu::answers {

ncclResult_t get_version(int* version) {
  if (version == nullptr) return ncclInvalidArgument;
  *version = settings().version > 0 ? settings().version : NCCL_VERSION_CODE;
  return ncclSuccess;
}

const char* get_error_string(ncclResult_t result) {
  switch (static_cast<int>(result)) {
    case 0:
      return "no error";
    case 1:
      return "a CUDA call failed";
    case 2:
      return "a system call failed";
    case 3:
      return "internal error";
    case 4:
      return "invalid argument";
    case 5:
      return "invalid usage";
    case 6:
      return "a remote process failed";
    case 7:
      return "in progress";
    case 8:
      return "timeout";
    default:
      return "unknown result code";
  }
}

const char* get_last_error(ncclComm_t) { return ""; }

ncclResult_t comm_get_async_error(ncclComm_t comm, ncclResult_t* error) {
  if (communicator_of(comm) == nullptr || error == nullptr) return ncclInvalidArgument;
  *error = ncclSuccess;  // never in progress: nothing here takes time
  return ncclSuccess;
}

void reset_debug_init() {}

namespace {

// Memory that mem_alloc had to allocate on the host, so that mem_free can recognise it.
struct HostMemory {
  std::mutex mutex;
  std::set<void*> all;
};
HostMemory& host_memory() {
  static auto* const ours = new HostMemory;
  return *ours;
}

}  // namespace

ncclResult_t mem_alloc(void** out, std::size_t bytes) {
  if (out == nullptr) return ncclInvalidArgument;
  if (const auto allocate = cuda_calls().allocate)
    return allocate(out, bytes) == 0 ? ncclSuccess : ncclUnhandledCudaError;
  *out = std::malloc(bytes);
  if (*out == nullptr) return ncclSystemError;
  const std::scoped_lock lock(host_memory().mutex);
  host_memory().all.insert(*out);
  return ncclSuccess;
}

ncclResult_t mem_free(void* memory) {
  if (memory == nullptr) return ncclSuccess;
  {
    const std::scoped_lock lock(host_memory().mutex);
    if (host_memory().all.erase(memory) > 0) {
      std::free(memory);
      return ncclSuccess;
    }
  }
  const auto release = cuda_calls().release;
  if (release == nullptr) return ncclInvalidArgument;
  return release(memory) == 0 ? ncclSuccess : ncclUnhandledCudaError;
}

// Handles of registered memory are its addresses: nothing needs to be looked up.
ncclResult_t comm_register(ncclComm_t comm, void* buffer, std::size_t, void** handle) {
  const ncclResult_t checked = check_window(comm, handle);
  if (checked == ncclSuccess) *handle = buffer;
  return checked;
}
ncclResult_t comm_deregister(ncclComm_t comm, void*) { return check_window(comm, comm); }

ncclResult_t check_window(ncclComm_t comm, const void* out) {
  return communicator_of(comm) == nullptr || out == nullptr ? ncclInvalidArgument : ncclSuccess;
}

ncclResult_t no_answer(const char* function) {
  static std::mutex mutex;
  static auto* const said = new std::set<std::string>;
  {
    const std::scoped_lock lock(mutex);
    if (said->insert(function).second)
      complain(std::string(function) +
               " has no meaning in a process that is alone; it returns ncclInvalidUsage");
  }
  const Record record = record_of_call(What::unknown_call, 0);
  const std::uint64_t serial = nccl_records().put(record);
  nccl_records().put_text(What::text_of_call, static_cast<std::uint32_t>(serial), function);
  return ncclInvalidUsage;
}

void mark(const char* text) {
  const std::uint64_t serial = nccl_records().put(record_of_call(What::mark, 0));
  nccl_records().put_text(What::text_of_mark, static_cast<std::uint32_t>(serial),
                          text == nullptr ? "" : text);
}

}  // namespace echo::exsitu::answers
