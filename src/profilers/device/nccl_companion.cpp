#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "profilers/device/companion.hpp"
#include "profilers/device/memory.hpp"
#ifdef ECHO_HAS_NCCL
#include <nccl.h>
#endif

namespace echo::profilers {

NcclChoice hold_nccl() {
  // The order of a ring is the one that the proxy imitates, too.
  setenv("NCCL_ALGO", "Ring", 0);
  setenv("NCCL_PROTO", "Simple", 0);
  const std::string algorithm = std::getenv("NCCL_ALGO"), protocol = std::getenv("NCCL_PROTO");
  // Lists and rules for several collectives do not give one answer.
  const bool is_ring = algorithm == "Ring" || algorithm == "ring" || algorithm == "RING";
  return {is_ring ? "ring" : "", protocol == "Simple" ? protocol : ""};
}

#ifdef ECHO_HAS_NCCL

namespace {

using ops::CollectiveKind;

// The larger buffer, as nccl-tests counts it.
constexpr std::int64_t payload_bytes = std::int64_t{128} << 20;

void check_nccl(ncclResult_t outcome, const char* what) {
  if (outcome != ncclSuccess) fail(what, ncclGetErrorString(outcome));
}

// The part of one GPU.
struct Rank {
  DeviceMemory send, receive;
  Stream stream;
};

struct DestroyCommunicator {
  void operator()(ncclComm* communicator) const { ncclCommAbort(communicator); }
};
using Communicator = std::unique_ptr<ncclComm, DestroyCommunicator>;

class NcclCompanion : public Companion {
 public:
  explicit NcclCompanion(const Gpu& gpu) : gpu_(gpu) {
    for (std::int32_t device = 0; device < gpu.count; ++device) {
      check(cudaSetDevice(device), "cudaSetDevice");
      ranks_.push_back({device_memory(payload_bytes), device_memory(payload_bytes), new_stream()});
    }
    check(cudaSetDevice(gpu.index), "cudaSetDevice");
  }

  // Sets the communicators up, and times a few calls.
  void prepare(const CommunicationCase& wanted) override {
    constexpr int warm = 2, timed = 4;
    const std::vector<Communicator>& group = group_of(wanted.channels);
    for (int i = 0; i < warm; ++i) call(wanted.collective, group);
    const double seconds = seconds_on(ranks_[static_cast<std::size_t>(gpu_.index)].stream.get(), [&] {
      for (int i = 0; i < timed; ++i) call(wanted.collective, group);
    });
    seconds_[{wanted.channels, wanted.collective}] = seconds / timed;
  }

  void start(const CommunicationCase& wanted, std::int32_t milliseconds) override {
    const double each = seconds_.at({wanted.channels, wanted.collective});
    count_ = static_cast<std::int32_t>(std::ceil(milliseconds * 1e-3 / each)) + 1;
    for (std::int32_t i = 0; i < count_; ++i) call(wanted.collective, group_of(wanted.channels));
  }
  [[nodiscard]] bool has_started() const override { return true; }  // nothing stands before it in its queue
  [[nodiscard]] std::int32_t records() const override { return count_ * gpu_.count; }
  [[nodiscard]] double payload() const override { return static_cast<double>(payload_bytes); }

 private:
  const std::vector<Communicator>& group_of(std::int32_t channels) {
    std::vector<Communicator>& group = groups_[channels];
    if (!group.empty()) return group;
    ncclUniqueId id;
    check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.minCTAs = config.maxCTAs = channels;
    std::vector<ncclComm_t> raw(ranks_.size(), nullptr);
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      check(cudaSetDevice(static_cast<int>(rank)), "cudaSetDevice");
      check_nccl(ncclCommInitRankConfig(&raw[rank], gpu_.count, id, static_cast<int>(rank), &config),
                 "ncclCommInitRankConfig");
    }
    check_nccl(ncclGroupEnd(), "setting up NCCL");
    check(cudaSetDevice(gpu_.index), "cudaSetDevice");
    for (const ncclComm_t communicator : raw) group.emplace_back(communicator);
    return group;
  }

  void call(CollectiveKind kind, const std::vector<Communicator>& group) const {
    const auto all = static_cast<std::size_t>(payload_bytes / 2), each = all / ranks_.size();
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const Rank& rank = ranks_[i];
      const void* send = rank.send.get();
      void* receive = rank.receive.get();
      if (kind == CollectiveKind::all_gather)
        check_nccl(ncclAllGather(send, receive, each, ncclBfloat16, group[i].get(), rank.stream.get()),
                   "ncclAllGather");
      else if (kind == CollectiveKind::reduce_scatter)
        check_nccl(
            ncclReduceScatter(send, receive, each, ncclBfloat16, ncclSum, group[i].get(), rank.stream.get()),
            "ncclReduceScatter");
      else
        check_nccl(
            ncclAllReduce(send, receive, all, ncclBfloat16, ncclSum, group[i].get(), rank.stream.get()),
            "ncclAllReduce");
    }
    check_nccl(ncclGroupEnd(), "an NCCL collective");
  }

  Gpu gpu_;
  std::vector<Rank> ranks_;                                   // by device
  std::map<std::int32_t, std::vector<Communicator>> groups_;  // by channels
  std::map<std::pair<std::int32_t, CollectiveKind>, double> seconds_;
  std::int32_t count_ = 0;
};

}  // namespace

std::unique_ptr<Companion> nccl_companion(const Gpu& gpu) { return std::make_unique<NcclCompanion>(gpu); }

#else

std::unique_ptr<Companion> nccl_companion(const Gpu&) { fail("NCCL", "this program was built without it"); }

#endif

}  // namespace echo::profilers
