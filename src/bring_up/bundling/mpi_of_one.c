/* MPI for a program that is one process: the functions that echo-sweep calls, with the binary interface of
 * Open MPI 4.
 *
 * The bundle's echo-sweep runs one worker. Open MPI itself would bring forty libraries and plug-ins, a folder
 * for its session and a newer C library than the GPU's machine may have, to pass no message. Handles are
 * addresses of the symbols that the program was linked to; openmpi_data.c, written by mpi_of_one.py, has
 * them.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  void* base;
  MPI_Aint bytes;
  int unit;
} window;

static void refuse(const char* what) {
  fprintf(stderr, "echo-sweep of this bundle is one process, and %s needs another\n", what);
  abort();
}

static size_t bytes_of(MPI_Datatype type) {
  if (type == MPI_INT) return sizeof(int);
  if (type == MPI_INT64_T) return 8;
  if (type == MPI_BYTE) return 1;
  refuse("an unknown type");
  return 0;
}

int MPI_Init_thread(int* argc, char*** argv, int wanted, int* granted) {
  (void)argc, (void)argv;
  *granted = wanted;
  return MPI_SUCCESS;
}
int MPI_Finalize(void) { return MPI_SUCCESS; }
int MPI_Abort(MPI_Comm comm, int code) {
  (void)comm;
  exit(code);
}
int MPI_Get_library_version(char* text, int* length) {
  *length =
      snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "one process, without MPI (bundle of echo-bring-up)");
  return MPI_SUCCESS;
}
int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  (void)comm;
  *rank = 0;
  return MPI_SUCCESS;
}
int MPI_Comm_size(MPI_Comm comm, int* size) {
  (void)comm;
  *size = 1;
  return MPI_SUCCESS;
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* out) {
  (void)key;
  *out = color == MPI_UNDEFINED ? MPI_COMM_NULL : comm;
  return MPI_SUCCESS;
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* out) {
  (void)info;
  return MPI_Comm_split(comm, type, key, out);
}
int MPI_Comm_free(MPI_Comm* comm) {
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  (void)op, (void)comm;
  if (from != MPI_IN_PLACE) memcpy(to, from, bytes_of(type) * (size_t)count);
  return MPI_SUCCESS;
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  (void)data, (void)count, (void)type, (void)root, (void)comm;
  return MPI_SUCCESS;
}
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  (void)comm;
  memset(request, 0, sizeof *request);
  return MPI_SUCCESS;
}
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  (void)request, (void)status;
  *done = 1;
  return MPI_SUCCESS;
}
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* there, MPI_Status* status) {
  (void)from, (void)tag, (void)comm, (void)status;
  *there = 0;
  return MPI_SUCCESS;
}
int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  (void)data, (void)count, (void)type, (void)to, (void)tag, (void)comm;
  refuse("MPI_Send");
  return 1;
}
int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  (void)data, (void)count, (void)type, (void)from, (void)tag, (void)comm, (void)status;
  refuse("MPI_Recv");
  return 1;
}
/* One window at a time, as echo-sweep opens them. */
int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* base,
                            MPI_Win* out) {
  (void)info, (void)comm;
  if (window.base != NULL) refuse("a second window");
  window.base = calloc(1, bytes > 0 ? (size_t)bytes : 1);
  if (window.base == NULL) return MPI_ERR_NO_MEM;
  window.bytes = bytes;
  window.unit = unit;
  *(void**)base = window.base;
  *out = (MPI_Win)&window;
  return MPI_SUCCESS;
}
int MPI_Win_shared_query(MPI_Win it, int rank, MPI_Aint* bytes, int* unit, void* base) {
  (void)it, (void)rank;
  *bytes = window.bytes;
  *unit = window.unit;
  *(void**)base = window.base;
  return MPI_SUCCESS;
}
int MPI_Win_fence(int hints, MPI_Win it) {
  (void)hints, (void)it;
  return MPI_SUCCESS;
}
int MPI_Win_free(MPI_Win* it) {
  free(window.base);
  window.base = NULL;
  *it = MPI_WIN_NULL;
  return MPI_SUCCESS;
}
