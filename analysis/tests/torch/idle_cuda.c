// A CUDA runtime of one GPU that computes nothing: memory is the host's, streams and events are done at once,
// kernels do not run. Preloaded into PyTorch it lets ProcessGroupNCCL start where there is no GPU, to see
// what it asks of NCCL.
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

__attribute__((used)) static int fine(void) { return 0; }
#define FINE(name) __asm__(".globl " #name "\n.set " #name ", fine")
FINE(cudaDeviceEnablePeerAccess);
FINE(cudaDeviceSetGraphMemAttribute);
FINE(cudaDeviceSynchronize);
FINE(cudaEventDestroy);
FINE(cudaEventQuery);
FINE(cudaEventRecord);
FINE(cudaEventRecordWithFlags);
FINE(cudaEventSynchronize);
FINE(cudaFuncSetAttribute);
FINE(cudaGetLastError);
FINE(cudaLaunchKernel);
FINE(cudaLaunchKernelExC);
FINE(cudaMemPoolSetAccess);
FINE(cudaMemPoolSetAttribute);
FINE(cudaMemPoolTrimTo);
FINE(cudaPeekAtLastError);
FINE(cudaSetDevice);
FINE(cudaStreamDestroy);
FINE(cudaStreamQuery);
FINE(cudaStreamSynchronize);
FINE(cudaStreamWaitEvent);
FINE(cudaThreadExchangeStreamCaptureMode);

static cudaError_t make(void* out) {
  *(void**)out = calloc(1, 64);
  return cudaSuccess;
}
static cudaError_t allocate(void** out, size_t bytes) {
  *out = aligned_alloc(512, (bytes + 511) / 512 * 512 + 512);
  if (*out != NULL) memset(*out, 0, bytes);
  return *out != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}
static cudaError_t release(void* memory) {
  free(memory);
  return cudaSuccess;
}
static cudaError_t number(int* out, int value) {
  *out = value;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* n) { return number(n, 1); }
cudaError_t cudaGetDevice(int* n) { return number(n, 0); }
cudaError_t cudaDriverGetVersion(int* n) { return number(n, CUDART_VERSION); }
cudaError_t cudaRuntimeGetVersion(int* n) { return number(n, CUDART_VERSION); }
cudaError_t cudaDeviceCanAccessPeer(int* n, int a, int b) { return number(n, 0); }
cudaError_t cudaStreamGetPriority(cudaStream_t s, int* n) { return number(n, 0); }
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  return number(greatest, 0);
}
cudaError_t cudaDeviceGetAttribute(int* n, enum cudaDeviceAttr which, int device) {
  switch (which) {
    case cudaDevAttrComputeCapabilityMajor:
      return number(n, 9);
    case cudaDevAttrWarpSize:
      return number(n, 32);
    case cudaDevAttrMultiProcessorCount:
      return number(n, 132);
    case cudaDevAttrMaxThreadsPerBlock:
      return number(n, 1024);
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return number(n, 2048);
    default:
      return number(n, 0);
  }
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* p, int device) {
  memset(p, 0, sizeof *p);
  strcpy(p->name, "no GPU");
  p->major = 9, p->warpSize = 32, p->multiProcessorCount = 132;
  p->totalGlobalMem = (size_t)80 << 30;
  p->maxThreadsPerBlock = 1024, p->maxThreadsPerMultiProcessor = 2048, p->sharedMemPerBlock = 49152;
  p->maxGridSize[0] = p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = p->maxThreadsDim[2] = 1024;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
  strncpy(text, "0000:00:00.0", (size_t)size);
  return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t e) { return e == cudaSuccess ? "no error" : "an error"; }
const char* cudaGetErrorName(cudaError_t e) { return cudaGetErrorString(e); }
cudaError_t cudaMemGetInfo(size_t* left, size_t* all) {
  *left = *all = (size_t)80 << 30;
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** out, size_t bytes) { return allocate(out, bytes); }
cudaError_t cudaMallocHost(void** out, size_t bytes) { return allocate(out, bytes); }
cudaError_t cudaHostAlloc(void** out, size_t bytes, unsigned flags) { return allocate(out, bytes); }
cudaError_t cudaMallocAsync(void** out, size_t bytes, cudaStream_t s) { return allocate(out, bytes); }
cudaError_t cudaFree(void* memory) { return release(memory); }
cudaError_t cudaFreeHost(void* memory) { return release(memory); }
cudaError_t cudaFreeAsync(void* memory, cudaStream_t s) { return release(memory); }
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind) {
  memmove(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t s) {
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  memset(to, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t s) {
  return cudaMemset(to, value, bytes);
}
cudaError_t cudaEventCreate(cudaEvent_t* e) { return make(e); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned flags) { return make(e); }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t a, cudaEvent_t b) {
  *ms = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* s) { return make(s); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned flags) { return make(s); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* s, unsigned flags, int priority) { return make(s); }
cudaError_t cudaStreamIsCapturing(cudaStream_t s, enum cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, enum cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges,
                                     size_t* count) {
  return cudaStreamIsCapturing(s, status);
}
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* a, const void* memory) {
  memset(a, 0, sizeof *a);
  a->type = cudaMemoryTypeDevice;
  a->devicePointer = (void*)memory;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* a, const void* f) {
  memset(a, 0, sizeof *a);
  a->maxThreadsPerBlock = 1024;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* n, const void* f, int threads, size_t shared) {
  return number(n, 1);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* n, const void* f, int threads,
                                                                   size_t shared, unsigned flags) {
  return number(n, 1);
}

// cuBLAS: products are left out, too.
int cublasCreate_v2(void** handle) { return make(handle); }
int cublasGetMathMode(void* handle, int* mode) { return number(mode, 0); }
int cublasGetPointerMode_v2(void* handle, int* mode) { return number(mode, 0); }
int cublasGetVersion_v2(void* handle, int* version) { return number(version, 130000); }
int cublasLtMatmulAlgoGetHeuristic(void* handle, void* op, void* a, void* b, void* c, void* d,
                                   void* preference, int asked, void* results, int* found) {
  return number(found, 1);
}
