// Calls NCCL as a training program of thousands of ranks does; its tests look at what it prints and at its
// trace.
#include <dlfcn.h>
#include <nccl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

static int copies = 0;
static cudaStream_t last_stream = nullptr;

// Stands in for the CUDA runtime, which is not in this process: device memory is the host's.
extern "C" cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                                       cudaStream_t stream) {
  ++copies;
  last_stream = stream;
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

static cudaStream_t stream_number(std::uintptr_t n) { return reinterpret_cast<cudaStream_t>(n); }

static void need(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::exit(1);
}
static void ok(ncclResult_t result) { need(result == ncclSuccess, ncclGetErrorString(result)); }

static ncclComm_t init(int size, int rank) {
  ncclUniqueId id;
  ok(ncclGetUniqueId(&id));
  ncclComm_t comm = nullptr;
  ok(ncclCommInitRank(&comm, size, id, rank));
  return comm;
}

static void tell(const char* name, ncclComm_t comm) {
  int size = 0, rank = 0;
  ok(ncclCommCount(comm, &size));
  ok(ncclCommUserRank(comm, &rank));
  std::printf("%s: rank %d of %d\n", name, rank, size);
}

static ncclComm_t split(ncclComm_t comm, const char* name, int color) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.commName = name;
  ncclComm_t part = nullptr;
  ok(ncclCommSplit(comm, color, 0, &part, &config));
  return part;
}

// One of each call, in an order that the test knows.
static int rank_37() {
  int version = 0;
  ok(ncclGetVersion(&version));
  std::printf("version %d\n", version);
  const ncclComm_t world = init(4096, 37);
  tell("world", world);
  ncclComm_t none = world;
  ok(ncclCommSplit(world, NCCL_SPLIT_NOCOLOR, 0, &none, nullptr));
  need(none == nullptr, "no colour, no communicator");
  const ncclComm_t row = split(world, "tensor", 4), column = split(world, "data", 5);
  tell("tensor", row);
  tell("data", column);
  static float a[64], b[64];
  const cudaStream_t s = stream_number(0x10), t = stream_number(0x20);
  ok(ncclAllReduce(a, b, 1000, ncclBfloat16, ncclSum, row, s));
  ok(ncclAllGather(a, b, 2000, ncclFloat16, column, t));
  ok(ncclReduceScatter(a, b, 3000, ncclFloat32, ncclAvg, column, t));
  ok(ncclBroadcast(a, a, 4000, ncclInt64, 3, row, s));
  ok(ncclReduce(a, b, 5000, ncclFloat64, ncclMax, 2, row, s));
  ok(ncclGroupStart());
  ok(ncclGroupStart());
  ok(ncclSend(a, 6000, ncclBfloat16, 38, world, s));
  ok(ncclGroupEnd());
  ok(ncclRecv(b, 7000, ncclBfloat16, 36, world, s));
  ok(ncclGroupEnd());
  ok(ncclSend(a, 8, ncclUint8, 36, world, s));
  ncclRedOp_t scaled{};
  float factor = 0.125F;
  ok(ncclRedOpCreatePreMulSum(&scaled, &factor, ncclFloat32, ncclScalarHostImmediate, column));
  ok(ncclAllReduce(a, a, 9000, ncclFloat32, scaled, column, t));
  ok(ncclRedOpDestroy(scaled, column));
  need(ncclAllReduce(a, a, 1, ncclFloat32, scaled, column, t) == ncclInvalidArgument,
       "a destroyed operator is none");
  need(ncclSend(a, 1, ncclUint8, 4096, world, s) == ncclInvalidArgument, "a peer outside is none");
  need(ncclGroupEnd() == ncclInvalidUsage, "no group to end");
  ncclResult_t error = ncclInProgress;
  ok(ncclCommGetAsyncError(world, &error));
  ok(error);
  ok(ncclCommDestroy(row));
  need(ncclAllReduce(a, a, 1, ncclFloat32, ncclSum, row, s) == ncclInvalidArgument,
       "a destroyed communicator is none");
  need(ncclCommCount(nullptr, &version) == ncclInvalidArgument, "null is none");
  return 0;
}

// Data of peers that are like this one.
static int data() {
  const ncclComm_t comm = init(5, 3);
  const cudaStream_t s = stream_number(0x30);
  std::vector<int> own{7, 8}, all(10, 0);
  ok(ncclAllGather(own.data(), all.data(), 2, ncclInt32, comm, s));
  need(all == std::vector<int>({7, 8, 7, 8, 7, 8, 7, 8, 7, 8}), "all-gather: everybody has mine");
  std::vector<int> place(10, 0);
  place[6] = 1, place[7] = 2;
  ok(ncclAllGather(place.data() + 6, place.data(), 2, ncclInt32, comm, s));
  need(place == std::vector<int>({1, 2, 1, 2, 1, 2, 1, 2, 1, 2}), "in place, too");
  std::vector<int> out(2, 0);
  ok(ncclReduceScatter(std::vector<int>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}).data(), out.data(), 2, ncclInt32,
                       ncclSum, comm, s));
  need(out == std::vector<int>({6, 7}), "reduce-scatter: my slice");
  ok(ncclAllReduce(own.data(), out.data(), 2, ncclInt32, ncclMax, comm, s));
  need(out == own, "all-reduce: mine");
  std::vector<int> to(5, 0), from{10, 11, 12, 13, 14};
  ok(ncclGroupStart());
  for (int peer = 0; peer < 5; ++peer) {
    ok(ncclSend(&from[static_cast<std::size_t>(peer)], 1, ncclInt32, peer, comm, s));
    ok(ncclRecv(&to[static_cast<std::size_t>(peer)], 1, ncclInt32, peer, comm, s));
  }
  need(to[0] == 0, "nothing goes out before the group ends");
  const int before = copies;
  ok(ncclGroupEnd());
  need(to == from && copies == before + 1, "all-to-all: what I send, in one copy");
  need(last_stream == s, "on the caller's stream");
  std::vector<char> big(1 << 20, 1), result(1 << 20, 0);
  ok(ncclAllReduce(big.data(), result.data(), big.size(), ncclInt8, ncclSum, comm, s));
  need(result[0] == 0, "large tensors are left alone");
  return 0;
}

// Groups of different threads are different launches. 16 threads, 500 groups each.
static int threads() {
  const ncclComm_t comm = init(64, 1);
  std::vector<std::thread> all;
  for (int thread = 0; thread < 16; ++thread)
    all.emplace_back([=] {
      for (int group = 0; group < 500; ++group) {
        ok(ncclGroupStart());
        for (int op = 0; op < 3; ++op)
          ok(ncclAllReduce(nullptr, nullptr, static_cast<std::size_t>(group), ncclInt8, ncclSum, comm,
                           stream_number(static_cast<std::uintptr_t>(thread) + 1)));
        ok(ncclGroupEnd());
      }
    });
  for (std::thread& each : all) each.join();
  return 0;
}

static int forks() {
  const ncclComm_t comm = init(2, 0);
  const pid_t child = fork();
  ok(ncclAllReduce(nullptr, nullptr, child == 0 ? 222 : 111, ncclInt8, ncclSum, comm, nullptr));
  if (child == 0) _exit(0);
  int status = 1;
  need(waitpid(child, &status, 0) == child && status == 0, "the child is well");
  return 0;
}

// Recorded, then killed.
static int dies() {
  const ncclComm_t comm = init(2, 0);
  for (std::size_t i = 0; i < 1000; ++i)
    ok(ncclAllReduce(nullptr, nullptr, i, ncclInt8, ncclSum, comm, nullptr));
  return kill(getpid(), SIGKILL);
}

// The real library is asked about a handle of ours.
static int mixed(const char* real_library) {
  const ncclComm_t comm = init(8, 0);
  void* real = dlopen(real_library, RTLD_NOW | RTLD_LOCAL);
  need(real != nullptr, "the real NCCL is there");
  const auto count = reinterpret_cast<ncclResult_t (*)(ncclComm_t, int*)>(dlsym(real, "ncclCommCount"));
  need(count != nullptr && count != &ncclCommCount, "and is another");
  int size = 0;
  std::printf("the real one says: %d\n", static_cast<int>(count(comm, &size)));
  return 0;
}

static int simulated() {
  const ncclComm_t comm = init(8, 0);
  ok(ncclGroupStart());
  ok(ncclAllReduce(nullptr, nullptr, 77, ncclInt8, ncclSum, comm, nullptr));
  ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
  ok(ncclGroupSimulateEnd(&info));
  need(info.estimatedTime == 0.0F, "an estimate");
  ok(ncclAllReduce(nullptr, nullptr, 78, ncclInt8, ncclSum, comm, nullptr));
  return 0;
}

static int speed() {
  const ncclComm_t comm = init(8, 0);
  static char buffer[8];
  constexpr int calls = 1'000'000;
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
      ncclAllReduce(buffer, buffer, 1 << 20, ncclBfloat16, ncclSum, comm, nullptr);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = took.count() / calls < best ? took.count() / calls : best;
  }
  std::printf("%.1f ns a call\n", best);
  return 0;
}

int main(int arguments, char** argument) {
  const std::string what = arguments > 1 ? argument[1] : "";
  if (what == "rank_37") return rank_37();
  if (what == "data") return data();
  if (what == "threads") return threads();
  if (what == "forks") return forks();
  if (what == "dies") return dies();
  if (what == "simulated") return simulated();
  if (what == "speed") return speed();
  if (what == "mixed" && arguments > 2) return mixed(argument[2]);
  std::fprintf(stderr,
               "usage: echo-nccl-caller rank_37|data|threads|forks|dies|simulated|speed|mixed LIBNCCL\n");
  return 2;
}
