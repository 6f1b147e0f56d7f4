// One run of a cell.
//
// Launches of the kernel are queued behind a gate, a kernel of one thread that waits for a word in host
// memory, so that the GPU goes from one to the next without waiting for the host. The communication starts
// while the gate is shut, as communication does in training that is ahead of the computation that hides it;
// once all its blocks are on their SMs the gate opens. It ends before the last launches do. Nothing is
// waited for, copied or allocated in between; records are read afterwards.
#include "profilers/device/cell_runner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "profilers/device/proxy.hpp"
#include "profilers/sample_summary.hpp"

namespace echo::profilers {

namespace {

using std::chrono::steady_clock;

constexpr std::int64_t gate_patience_ns = 2'000'000'000;
constexpr auto start_patience = std::chrono::seconds(1);
// Time until a companion whose start cannot be observed is on the GPU: a launch takes 5 to 20 us.
constexpr auto start_time = std::chrono::microseconds(100);

}  // namespace

CellRunner::CellRunner(const Gpu& gpu, ActivityTrace& trace, const Clocks& clocks)
    : gpu_(gpu), trace_(trace), clocks_(clocks) {
  auto* open = reinterpret_cast<volatile std::int32_t*>(gate_.get());
  *open = 1;
  check(launch_gate(open, gate_patience_ns, stream_.get()), "the gate");
  wait_for_all();
}

void CellRunner::prepare(Companion& companion, const CommunicationCase& beside) {
  companion.prepare(beside);
  wait_for_all();
  trace_.drop();
}

void CellRunner::wait_for_all() const {
  for (std::int32_t device = 0; device < gpu_.count; ++device) {
    if (gpu_.count > 1) check(cudaSetDevice(device), "cudaSetDevice");
    check(cudaDeviceSynchronize(), "a run on the GPU");
  }
  if (gpu_.count > 1) check(cudaSetDevice(gpu_.index), "cudaSetDevice");
}

void CellRunner::wait_until_started(const Companion& companion) const {
  const auto begin = steady_clock::now();
  while (!companion.has_started()) {
    if (steady_clock::now() - begin > start_patience)
      fail("starting the communication", "not all of its thread blocks started within a second");
  }
  std::this_thread::sleep_for(start_time);
}

KernelProbe CellRunner::probe(const RunnableKernel& kernel) {
  constexpr std::int32_t warm = 2, timed = 6;
  for (std::int32_t i = 0; i < warm; ++i) kernel.launch(stream_.get(), i);
  wait_for_all();
  trace_.drop();
  for (std::int32_t i = 0; i < timed; ++i) kernel.launch(stream_.get(), i);
  wait_for_all();
  const std::vector<GpuRecord> records = trace_.take(timed);
  const auto kernels = std::count_if(records.begin(), records.end(), [](const GpuRecord& record) {
    return role_of(record, slowdown::CommunicationKind::unknown) == Role::kernel;
  });
  if (kernels == 0 || kernels % timed != 0)
    fail("tracing kernels by CUPTI", std::to_string(kernels) + " records for " + std::to_string(timed) +
                                         " launches; no other profiler may trace this process");
  KernelProbe out{.seconds = 0.0, .kernels_per_launch = static_cast<std::int32_t>(kernels / timed)};
  const CellSamples samples = read_cell(
      records, {.device = gpu_.index, .launches = timed, .kernels_per_launch = out.kernels_per_launch});
  std::vector<double> seconds;
  for (const Sample& sample : samples.kernel) seconds.push_back(sample.seconds);
  out.seconds = summarise(seconds).median;
  out.name = samples.kernel_name;
  out.shape = samples.kernel_shape;
  return out;
}

void CellRunner::recover() {
  *reinterpret_cast<volatile std::int32_t*>(gate_.get()) = 1;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  wait_for_all();
  trace_.drop();
}

RunOutcome CellRunner::run(const RunRequest& request) {
  auto* open = reinterpret_cast<volatile std::int32_t*>(gate_.get());
  *open = 0;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::size_t expected = 0;
  if (request.kernel != nullptr) {
    check(launch_gate(open, gate_patience_ns, stream_.get()), "the gate");
    for (std::int32_t i = 0; i < request.launches; ++i) request.kernel->launch(stream_.get(), i);
    expected +=
        1 + static_cast<std::size_t>(request.launches) * static_cast<std::size_t>(request.kernels_per_launch);
  }
  RunOutcome out;
  if (request.companion != nullptr) {
    request.companion->start(request.beside, request.milliseconds);
    wait_until_started(*request.companion);
    expected += static_cast<std::size_t>(request.companion->records());
    out.payload = request.companion->payload();
  }
  *open = 1;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  out.clock_mhz = clocks_.multiprocessor_mhz();
  wait_for_all();
  const CellRun run{
      .device = gpu_.index,
      .launches = request.kernel != nullptr ? request.launches : 0,
      .kernels_per_launch = request.kernels_per_launch,
      .beside = request.companion != nullptr ? request.beside.made_by : slowdown::CommunicationKind::unknown};
  out.samples = read_cell(trace_.take(expected), run);
  return out;
}

}  // namespace echo::profilers
