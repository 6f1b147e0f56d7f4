#include <bit>

#include "exsitu/answers.hpp"
#include "exsitu/communicator.hpp"
#include "exsitu/data_rule.hpp"
#include "exsitu/gpu_side.hpp"
#include "exsitu/op_record.hpp"
#include "exsitu/record_file.hpp"
#include "exsitu/settings.hpp"

namespace echo::exsitu::answers {

namespace {

// One call in the form in which all calls are checked and recorded.
struct Call {
  What what{};
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t count = 0;
  int type = 0;
  int redop = -1;
  int peer = -1;  // or root
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
};

bool has_operator(Communicator& comm, int redop) {
  if (redop < 0) return false;
  if (redop < ncclNumOps) return true;
  const std::scoped_lock lock(comm.mutex);
  const auto number = static_cast<std::size_t>(redop - ncclNumOps);
  return number < comm.operators.size() && comm.operators[number];
}

enum class Takes { operators = 1, peer = 2, both = 3, neither = 0 };
Takes takes(What what) {
  switch (what) {
    case What::all_reduce:
    case What::reduce_scatter:
      return Takes::operators;
    case What::reduce:
      return Takes::both;
    case What::all_gather:
    case What::all_to_all:
      return Takes::neither;
    default:
      return Takes::peer;
  }
}

Communicator* checked(const Call& call) {
  Communicator* comm = communicator_of(call.comm);
  if (comm == nullptr || type_bytes(call.type) == 0) return nullptr;
  const auto needs = static_cast<int>(takes(call.what));
  if ((needs & 1) != 0 && !has_operator(*comm, call.redop)) return nullptr;
  if ((needs & 2) != 0 && (call.peer < 0 || call.peer >= comm->size)) return nullptr;
  return comm;
}

Record record_of(const Call& call, const Communicator& comm) {
  Record record = record_of_call(call.what, comm.id);
  record.type = static_cast<std::uint8_t>(call.type);
  record.count = call.count;
  record.stream = std::bit_cast<std::uintptr_t>(call.stream);
  record.peer = call.peer;
  record.redop = call.redop;
  if (const auto stream_id = gpu_side().stream_id) record.stream_id = stream_id(call.stream);
  return record;
}

void keep_for_group(const Call& call, const Communicator& comm) {
  if (!is_in_group()) return;
  keep_transfer({.what = call.what,
                 .comm = comm.id,
                 .peer = call.peer,
                 .is_root = call.peer == comm.rank,
                 .from = call.from,
                 .to = call.to,
                 .bytes = call.count * type_bytes(call.type),
                 .stream = call.stream});
}

ncclResult_t collective(const Call& call) {
  const Communicator* comm = checked(call);
  if (comm == nullptr) return ncclInvalidArgument;
  const std::vector<Copy> copies = copies_of({.what = call.what,
                                              .from = call.from,
                                              .to = call.to,
                                              .bytes = call.count * type_bytes(call.type),
                                              .size = comm->size,
                                              .rank = comm->rank,
                                              .root = call.peer,
                                              .stream = call.stream},
                                             settings().copy_below);
  Record record = record_of(call, *comm);
  record.flags = copies.empty() ? 0 : data_copied;
  make_copies(copies, nccl_records().put(record));
  if (call.what == What::broadcast) keep_for_group(call, *comm);
  return ncclSuccess;
}

ncclResult_t transfer(const Call& call) {
  const Communicator* comm = checked(call);
  if (comm == nullptr) return ncclInvalidArgument;
  nccl_records().put(record_of(call, *comm));
  keep_for_group(call, *comm);
  return ncclSuccess;
}

}  // namespace

ncclResult_t reduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                    int root, ncclComm_t comm, cudaStream_t stream) {
  return collective({What::reduce, from, to, count, type, op, root, comm, stream});
}
ncclResult_t bcast(void* buffer, std::size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                   cudaStream_t stream) {
  return collective({What::broadcast, buffer, buffer, count, type, -1, root, comm, stream});
}
ncclResult_t broadcast(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                       ncclComm_t comm, cudaStream_t stream) {
  return collective({What::broadcast, from, to, count, type, -1, root, comm, stream});
}
ncclResult_t all_reduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                        ncclComm_t comm, cudaStream_t stream) {
  return collective({What::all_reduce, from, to, count, type, op, -1, comm, stream});
}
ncclResult_t reduce_scatter(const void* from, void* to, std::size_t count, ncclDataType_t type,
                            ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return collective({What::reduce_scatter, from, to, count, type, op, -1, comm, stream});
}
ncclResult_t all_gather(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclComm_t comm,
                        cudaStream_t stream) {
  return collective({What::all_gather, from, to, count, type, -1, -1, comm, stream});
}
ncclResult_t allto_all(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclComm_t comm,
                       cudaStream_t stream) {
  return collective({What::all_to_all, from, to, count, type, -1, -1, comm, stream});
}
ncclResult_t gather(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                    ncclComm_t comm, cudaStream_t stream) {
  return collective({What::gather, from, to, count, type, -1, root, comm, stream});
}
ncclResult_t scatter(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                     ncclComm_t comm, cudaStream_t stream) {
  return collective({What::scatter, from, to, count, type, -1, root, comm, stream});
}
ncclResult_t send(const void* from, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                  cudaStream_t stream) {
  return transfer({What::send, from, nullptr, count, type, -1, peer, comm, stream});
}
ncclResult_t recv(void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                  cudaStream_t stream) {
  return transfer({What::recv, nullptr, to, count, type, -1, peer, comm, stream});
}
ncclResult_t record_signal(What what, std::size_t count, int type, int peer, ncclComm_t comm,
                           cudaStream_t stream) {
  const Call call{what, nullptr, nullptr, count, type, -1, peer, comm, stream};
  const Communicator* ours = checked(call);
  if (ours == nullptr) return ncclInvalidArgument;
  nccl_records().put(record_of(call, *ours));
  return ncclSuccess;
}

ncclResult_t red_op_create_pre_mul_sum(ncclRedOp_t* out, void* scalar, ncclDataType_t type,
                                       ncclScalarResidence_t, ncclComm_t handle) {
  Communicator* comm = communicator_of(handle);
  if (comm == nullptr || out == nullptr || scalar == nullptr || type_bytes(type) == 0)
    return ncclInvalidArgument;
  const std::scoped_lock lock(comm->mutex);
  std::size_t number = 0;  // programs make and destroy one per call: numbers are used again
  while (number < comm->operators.size() && comm->operators[number]) ++number;
  if (number == comm->operators.size()) comm->operators.push_back(false);
  comm->operators[number] = true;
  *out = static_cast<ncclRedOp_t>(static_cast<std::size_t>(ncclNumOps) + number);
  return ncclSuccess;
}

ncclResult_t red_op_destroy(ncclRedOp_t op, ncclComm_t handle) {
  Communicator* comm = communicator_of(handle);
  if (comm == nullptr || static_cast<int>(op) < ncclNumOps || !has_operator(*comm, op))
    return ncclInvalidArgument;
  const std::scoped_lock lock(comm->mutex);
  comm->operators[static_cast<std::size_t>(op - ncclNumOps)] = false;
  return ncclSuccess;
}

ncclResult_t group_start() {
  start_group();
  return ncclSuccess;
}

ncclResult_t group_end() {
  std::vector<Transfer> transfers;
  if (!end_group(GroupEnd::sent, transfers)) return ncclInvalidUsage;
  make_copies(copies_of(transfers, settings().copy_below), 0);
  return ncclSuccess;
}

ncclResult_t group_simulate_end(ncclSimInfo_t* info) {
  std::vector<Transfer> transfers;
  if (!end_group(GroupEnd::dropped, transfers)) return ncclInvalidUsage;
  if (info != nullptr) info->estimatedTime = 0.0F;  // that is for who simulates the trace to say
  return ncclSuccess;
}

}  // namespace echo::exsitu::answers
