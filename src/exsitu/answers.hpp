// Implementations of NCCL functions for a single process. generate_symbols.py reads the names below:
// ncclCommSplit is implemented by comm_split, and so on; a function of the header without an implementation
// here returns ncclInvalidUsage with a message. For types missing in older nccl.h headers, functions are
// templates or take an int.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <cstdint>

#include "exsitu/record.hpp"

namespace echo::exsitu::answers {

// --- versions and errors (answers.cpp)
ncclResult_t get_version(int* version);
const char* get_error_string(ncclResult_t result);
const char* get_last_error(ncclComm_t comm);
ncclResult_t comm_get_async_error(ncclComm_t comm, ncclResult_t* error);
void reset_debug_init();

// --- communicators (communicator_answers.cpp)
ncclResult_t get_unique_id(ncclUniqueId* id);
ncclResult_t comm_init_rank(ncclComm_t* out, int size, ncclUniqueId id, int rank);
ncclResult_t comm_init_rank_config(ncclComm_t* out, int size, ncclUniqueId id, int rank,
                                   ncclConfig_t* config);
ncclResult_t comm_init_rank_scalable(ncclComm_t* out, int size, int rank, int ids, ncclUniqueId* id,
                                     ncclConfig_t* config);
ncclResult_t comm_init_all(ncclComm_t* out, int size, const int* devices);
ncclResult_t comm_split(ncclComm_t comm, int color, int key, ncclComm_t* out, ncclConfig_t* config);
ncclResult_t comm_shrink(ncclComm_t comm, int* excluded, int count, ncclComm_t* out, ncclConfig_t* config,
                         int flags);
ncclResult_t comm_grow(ncclComm_t comm, int size, const ncclUniqueId* id, int rank, ncclComm_t* out,
                       ncclConfig_t* config);
ncclResult_t comm_get_unique_id(ncclComm_t comm, ncclUniqueId* id);
ncclResult_t comm_finalize(ncclComm_t comm);
ncclResult_t comm_destroy(ncclComm_t comm);
ncclResult_t comm_abort(ncclComm_t comm);
ncclResult_t comm_revoke(ncclComm_t comm, int flags);
ncclResult_t comm_suspend(ncclComm_t comm, int flags);
ncclResult_t comm_resume(ncclComm_t comm);
ncclResult_t comm_count(ncclComm_t comm, int* count);
ncclResult_t comm_user_rank(ncclComm_t comm, int* rank);
ncclResult_t comm_cu_device(ncclComm_t comm, int* device);
ncclResult_t comm_mem_stats(ncclComm_t comm, int which, std::uint64_t* value);

// --- memory (answers.cpp)
ncclResult_t mem_alloc(void** out, std::size_t bytes);
ncclResult_t mem_free(void* memory);
ncclResult_t comm_register(ncclComm_t comm, void* buffer, std::size_t bytes, void** handle);
ncclResult_t comm_deregister(ncclComm_t comm, void* handle);
ncclResult_t check_window(ncclComm_t comm, const void* out);
template <class Window>
ncclResult_t comm_window_register(ncclComm_t comm, void* buffer, std::size_t, Window* window, int) {
  const ncclResult_t checked = check_window(comm, window);
  if (checked == ncclSuccess) *window = reinterpret_cast<Window>(buffer);
  return checked;
}
template <class Window>
ncclResult_t comm_window_deregister(ncclComm_t comm, Window) {
  return check_window(comm, comm);
}
template <class Window>
ncclResult_t win_get_user_ptr(ncclComm_t comm, Window window, void** out) {
  const ncclResult_t checked = check_window(comm, out);
  if (checked == ncclSuccess) *out = reinterpret_cast<void*>(window);
  return checked;
}

// --- operators (op_answers.cpp)
ncclResult_t red_op_create_pre_mul_sum(ncclRedOp_t* out, void* scalar, ncclDataType_t type,
                                       ncclScalarResidence_t, ncclComm_t comm);
ncclResult_t red_op_destroy(ncclRedOp_t op, ncclComm_t comm);

// --- communication (op_answers.cpp)
ncclResult_t reduce(const void* from, void* to, std::size_t count, ncclDataType_t, ncclRedOp_t, int root,
                    ncclComm_t, cudaStream_t);
ncclResult_t bcast(void* buffer, std::size_t count, ncclDataType_t, int root, ncclComm_t, cudaStream_t);
ncclResult_t broadcast(const void* from, void* to, std::size_t count, ncclDataType_t, int root, ncclComm_t,
                       cudaStream_t);
ncclResult_t all_reduce(const void* from, void* to, std::size_t count, ncclDataType_t, ncclRedOp_t,
                        ncclComm_t, cudaStream_t);
ncclResult_t reduce_scatter(const void* from, void* to, std::size_t count, ncclDataType_t, ncclRedOp_t,
                            ncclComm_t, cudaStream_t);
ncclResult_t all_gather(const void* from, void* to, std::size_t count, ncclDataType_t, ncclComm_t,
                        cudaStream_t);
ncclResult_t allto_all(const void* from, void* to, std::size_t count, ncclDataType_t, ncclComm_t,
                       cudaStream_t);
ncclResult_t gather(const void* from, void* to, std::size_t count, ncclDataType_t, int root, ncclComm_t,
                    cudaStream_t);
ncclResult_t scatter(const void* from, void* to, std::size_t count, ncclDataType_t, int root, ncclComm_t,
                     cudaStream_t);
ncclResult_t send(const void* from, std::size_t count, ncclDataType_t, int peer, ncclComm_t, cudaStream_t);
ncclResult_t recv(void* to, std::size_t count, ncclDataType_t, int peer, ncclComm_t, cudaStream_t);
ncclResult_t record_signal(What what, std::size_t count, int type, int peer, ncclComm_t comm,
                           cudaStream_t stream);
template <class Window>
ncclResult_t put_signal(const void*, std::size_t count, ncclDataType_t type, int peer, Window, std::size_t,
                        int, int, unsigned int, ncclComm_t comm, cudaStream_t stream) {
  return record_signal(What::put_signal, count, type, peer, comm, stream);
}
inline ncclResult_t signal(int peer, int, int, unsigned int, ncclComm_t comm, cudaStream_t stream) {
  return record_signal(What::signal, 0, 0, peer, comm, stream);
}
template <class Wait>
ncclResult_t wait_signal(int waits, const Wait* wait, ncclComm_t comm, cudaStream_t stream) {
  if (waits < 0 || (waits > 0 && wait == nullptr)) return ncclInvalidArgument;
  for (int i = 0; i < waits; ++i) {
    const ncclResult_t each = record_signal(What::wait_signal, wait[i].opCnt, 0, wait[i].peer, comm, stream);
    if (each != ncclSuccess) return each;
  }
  return ncclSuccess;
}
ncclResult_t group_start();
ncclResult_t group_end();
ncclResult_t group_simulate_end(ncclSimInfo_t* info);

// --- anything else
ncclResult_t no_answer(const char* function);

// A place in the program, for whoever reads the trace.
void mark(const char* text);

}  // namespace echo::exsitu::answers
