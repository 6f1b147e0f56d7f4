#include "exsitu/op_record.hpp"

#include <atomic>
#include <utility>

#include "exsitu/gpu_side.hpp"
#include "exsitu/record_file.hpp"

namespace echo::exsitu {

namespace {

struct ThreadState {
  std::uint32_t thread;
  std::int32_t depth = 0;
  std::int64_t launch = 0;
  std::vector<Transfer> transfers;
};

ThreadState& state() {
  static std::atomic<std::uint32_t> threads{0};
  thread_local ThreadState ours{.thread = threads.fetch_add(1)};
  return ours;
}

std::atomic<std::int64_t> launches{0};

}  // namespace

std::size_t type_bytes(int type) {
  constexpr std::uint8_t bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return type >= 0 && type < static_cast<int>(sizeof bytes) ? bytes[type] : 0;
}

Record record_of_call(What what, std::uint32_t comm) {
  const ThreadState& ours = state();
  Record record{.what = what, .thread = ours.thread, .time_ns = monotonic_ns(), .comm = comm};
  record.launch = ours.depth > 0 ? ours.launch : 0;
  return record;
}

void start_group() {
  ThreadState& ours = state();
  if (ours.depth++ == 0) ours.launch = launches.fetch_add(1, std::memory_order_relaxed) + 1;
}

bool is_in_group() { return state().depth > 0; }

void keep_transfer(const Transfer& transfer) { state().transfers.push_back(transfer); }

bool end_group(GroupEnd end, std::vector<Transfer>& transfers) {
  ThreadState& ours = state();
  transfers.clear();
  if (ours.depth == 0) return false;
  if (ours.depth == 1) {
    nccl_records().put(record_of_call(end == GroupEnd::sent ? What::group_end : What::group_dropped, 0));
    std::swap(transfers, ours.transfers);
  }
  --ours.depth;
  return true;
}

}  // namespace echo::exsitu
