// The one-shot all-reduce of custom_all_reduce.hpp.
#include "collective/custom_all_reduce.hpp"

namespace echo::collective::algorithms {
namespace {

bool applies(const Call& call, const Communicator& c, ops::Protocol p) {
  return custom_serves(call, c, p, Shots::one);
}

double nccl_time(const Call&, const Communicator&, ops::Protocol) { return 0.0; }  // NCCL is not asked

std::int32_t channels(const Call&, const Communicator&, ops::Protocol) { return custom_blocks; }

Cost time(const Call& call, const Communicator& c, ops::Protocol, const NetworkConstants&) {
  return custom_cost(call, c, Shots::one);
}

}  // namespace

extern const Algorithm one_shot;
const Algorithm one_shot{.id = NcclAlgorithm::one_shot,
                         .source = "vllm-project/vllm csrc/custom_all_reduce.cuh",
                         .applies = applies,
                         .nccl_time = nccl_time,
                         .channels = channels,
                         .time = time};

}  // namespace echo::collective::algorithms
