#include "exsitu/communicator.hpp"

#include <sys/mman.h>

#include <atomic>
#include <new>

#include "exsitu/cuda_calls.hpp"
#include "exsitu/memberships.hpp"
#include "exsitu/op_record.hpp"
#include "exsitu/record_file.hpp"

namespace echo::exsitu {

// A program may pass our handle to a function of the real NCCL that this library does not replace. That
// function checks its magic numbers at both ends of its own structure of some hundred kB: zeros there make
// it return an error.
static constexpr std::size_t room = std::size_t{4} << 20;

static void* zeros() {
  void* at = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

ncclComm_t make_communicator(NewCommunicator wanted) {
  static std::atomic<std::uint32_t> made{0};
  void* at = zeros();
  if (at == nullptr) return nullptr;
  auto* comm = new (at) Communicator;
  comm->id = made.fetch_add(1) + 1;
  comm->size = wanted.size;
  comm->rank = wanted.rank;
  comm->name = wanted.name;
  comm->members = std::move(wanted.members);
  comm->is_assumed = wanted.is_assumed;
  if (const auto device = cuda_calls().device) device(&comm->device);
  RecordFile& file = nccl_records();
  Record record = record_of_call(What::comm_created, comm->id);
  record.count = static_cast<std::uint64_t>(comm->size);
  record.peer = comm->rank;
  record.redop = wanted.color;
  record.launch = wanted.parent;
  record.flags = comm->is_assumed ? members_assumed : 0;
  file.put(record);
  file.put_text(What::text_of_comm, comm->id, comm->name + "\n" + text_of(comm->members));
  return reinterpret_cast<ncclComm_t>(comm);
}

void end_communicator(Communicator& comm) {
  nccl_records().put(record_of_call(What::comm_gone, comm.id));
  comm.~Communicator();
  std::atomic_ref(comm.magic).store(0);
}

Communicator* communicator_of(ncclComm_t handle) {
  auto* comm = reinterpret_cast<Communicator*>(handle);
  return comm != nullptr && comm->magic == Communicator::alive ? comm : nullptr;
}

}  // namespace echo::exsitu
