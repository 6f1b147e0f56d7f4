// Creates communicators in a process that runs alone. NCCL gives the number of ranks and our own rank, for a
// split not even these; the rest comes from a file of memberships (memberships.hpp). Without an entry there,
// a communicator of the world's size is the world, and the members of any other are unknown; a split is
// assumed to keep all ranks together, as if all had given our colour. Such assumptions are marked in the
// trace.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <numeric>

#include "exsitu/answers.hpp"
#include "exsitu/communicator.hpp"
#include "exsitu/memberships.hpp"
#include "exsitu/op_record.hpp"
#include "exsitu/record_file.hpp"
#include "exsitu/settings.hpp"

namespace echo::exsitu::answers {

namespace {

// Names were introduced with 2.27; a program built against an older header has a shorter structure.
template <class Config>
std::string_view name_of(const Config* config) {
  if constexpr (requires { config->commName; }) {
    const auto reach =
        reinterpret_cast<const char*>(&config->commName + 1) - reinterpret_cast<const char*>(config);
    if (config->size >= static_cast<std::size_t>(reach) && config->size < 65536 &&
        config->commName != nullptr)
      return config->commName;
  }
  return {};
}
std::string_view name_in(const ncclConfig_t* config) {
  return config == nullptr ? std::string_view() : name_of(config);
}

struct Known {
  std::mutex mutex;
  Memberships memberships;
};

// A copy of the matching membership: others may append meanwhile.
bool look_up(const Wanted& wanted, Membership& out) {
  static auto* const known = new Known;
  const std::scoped_lock lock(known->mutex);
  known->memberships.read_more(settings().groups_file);
  const Membership* found = known->memberships.find(wanted);
  if (found != nullptr) out = *found;
  return found != nullptr;
}

ncclResult_t init(ncclComm_t* out, int size, int rank, std::span<const ncclUniqueId> ids,
                  const ncclConfig_t* config) {
  if (out == nullptr || size < 1 || rank < 0 || rank >= size) return ncclInvalidArgument;
  Wanted wanted{.name = name_in(config), .size = size, .own_place = rank, .own_rank = settings().rank};
  for (const ncclUniqueId& id : ids) wanted.unique_ids.push_back(hexadecimal(id.internal));
  NewCommunicator made{.size = size, .rank = rank, .name = wanted.name};
  Membership membership;
  if (look_up(wanted, membership)) {
    made.members = membership.ranks;
    made.name = membership.name;
  } else {
    made.is_assumed = true;
    const std::int32_t world = settings().world;
    if (world < 0 || world == size) {
      made.members.resize(static_cast<std::size_t>(size));
      std::iota(made.members.begin(), made.members.end(), 0);
    }
  }
  *out = make_communicator(std::move(made));
  return *out == nullptr ? ncclSystemError : ncclSuccess;
}

}  // namespace

ncclResult_t get_unique_id(ncclUniqueId* id) {
  if (id == nullptr) return ncclInvalidArgument;
  static std::atomic<std::uint32_t> given{0};
  std::memset(id, 0, sizeof *id);
  std::snprintf(id->internal, sizeof id->internal, "echo %d %u", static_cast<int>(getpid()),
                given.fetch_add(1) + 1);
  return ncclSuccess;
}

ncclResult_t comm_init_rank(ncclComm_t* out, int size, ncclUniqueId id, int rank) {
  return init(out, size, rank, {&id, 1}, nullptr);
}
ncclResult_t comm_init_rank_config(ncclComm_t* out, int size, ncclUniqueId id, int rank,
                                   ncclConfig_t* config) {
  return init(out, size, rank, {&id, 1}, config);
}
ncclResult_t comm_init_rank_scalable(ncclComm_t* out, int size, int rank, int ids, ncclUniqueId* id,
                                     ncclConfig_t* config) {
  if (ids < 1 || ids > size || id == nullptr) return ncclInvalidArgument;
  return init(out, size, rank, {id, static_cast<std::size_t>(ids)}, config);
}

// One process for all GPUs of a machine: here each of them is a rank of a world of its own size.
ncclResult_t comm_init_all(ncclComm_t* out, int size, const int*) {
  if (out == nullptr || size < 1) return ncclInvalidArgument;
  for (int rank = 0; rank < size; ++rank) {
    const ncclResult_t made = init(out + rank, size, rank, {}, nullptr);
    if (made != ncclSuccess) return made;
  }
  return ncclSuccess;
}

ncclResult_t comm_split(ncclComm_t handle, int color, int key, ncclComm_t* out, ncclConfig_t* config) {
  const Communicator* comm = communicator_of(handle);
  if (comm == nullptr || out == nullptr || color < NCCL_SPLIT_NOCOLOR) return ncclInvalidArgument;
  *out = nullptr;
  if (color == NCCL_SPLIT_NOCOLOR) return ncclSuccess;
  static_cast<void>(key);  // an order among peers; their list says it
  Wanted wanted{.name = name_in(config), .own_rank = settings().rank, .among = comm->members};
  if (!comm->members.empty()) wanted.own_rank = comm->members[static_cast<std::size_t>(comm->rank)];
  NewCommunicator made{.name = wanted.name, .color = color, .parent = comm->id};
  Membership membership;
  if (wanted.own_rank >= 0 && look_up(wanted, membership)) {
    made.size = static_cast<std::int32_t>(membership.ranks.size());
    const auto own = std::find(membership.ranks.begin(), membership.ranks.end(), wanted.own_rank);
    made.rank = static_cast<std::int32_t>(own - membership.ranks.begin());
    made.members = membership.ranks;
    made.name = membership.name;
  } else {
    made.is_assumed = true;
    made.size = comm->size;
    made.rank = comm->rank;
    made.members = comm->members;
  }
  *out = make_communicator(std::move(made));
  return *out == nullptr ? ncclSystemError : ncclSuccess;
}

ncclResult_t comm_shrink(ncclComm_t handle, int* excluded, int count, ncclComm_t* out, ncclConfig_t* config,
                         int) {
  const Communicator* comm = communicator_of(handle);
  if (comm == nullptr || out == nullptr || count < 0 || (count > 0 && excluded == nullptr))
    return ncclInvalidArgument;
  std::vector<bool> stays(static_cast<std::size_t>(comm->size), true);
  for (int i = 0; i < count; ++i) {
    if (excluded[i] < 0 || excluded[i] >= comm->size) return ncclInvalidArgument;
    stays[static_cast<std::size_t>(excluded[i])] = false;
  }
  if (!stays[static_cast<std::size_t>(comm->rank)]) return ncclInvalidArgument;
  NewCommunicator made{
      .size = 0, .name = name_in(config), .is_assumed = comm->is_assumed, .parent = comm->id};
  for (std::int32_t rank = 0; rank < comm->size; ++rank) {
    if (!stays[static_cast<std::size_t>(rank)]) continue;
    if (rank == comm->rank) made.rank = made.size;
    if (!comm->members.empty()) made.members.push_back(comm->members[static_cast<std::size_t>(rank)]);
    ++made.size;
  }
  *out = make_communicator(std::move(made));
  return *out == nullptr ? ncclSystemError : ncclSuccess;
}

ncclResult_t comm_grow(ncclComm_t handle, int size, const ncclUniqueId* id, int rank, ncclComm_t* out,
                       ncclConfig_t* config) {
  const Communicator* comm = communicator_of(handle);
  if (handle != nullptr && (comm == nullptr || size < comm->size)) return ncclInvalidArgument;
  const std::span<const ncclUniqueId> ids(id, id == nullptr ? 0 : 1);
  return init(out, size, comm != nullptr ? comm->rank : rank, ids, config);
}

ncclResult_t comm_get_unique_id(ncclComm_t comm, ncclUniqueId* id) {
  return communicator_of(comm) == nullptr ? ncclInvalidArgument : get_unique_id(id);
}

static ncclResult_t done_if_ours(ncclComm_t comm) {
  return communicator_of(comm) == nullptr ? ncclInvalidArgument : ncclSuccess;
}
ncclResult_t comm_finalize(ncclComm_t comm) { return done_if_ours(comm); }
ncclResult_t comm_revoke(ncclComm_t comm, int) { return done_if_ours(comm); }
ncclResult_t comm_suspend(ncclComm_t comm, int) { return done_if_ours(comm); }
ncclResult_t comm_resume(ncclComm_t comm) { return done_if_ours(comm); }

ncclResult_t comm_destroy(ncclComm_t handle) {
  if (handle == nullptr) return ncclSuccess;
  Communicator* comm = communicator_of(handle);
  if (comm == nullptr) return ncclInvalidArgument;
  end_communicator(*comm);
  return ncclSuccess;
}
ncclResult_t comm_abort(ncclComm_t comm) { return comm_destroy(comm); }

static ncclResult_t tell(ncclComm_t handle, std::int32_t Communicator::*what, int* out) {
  const Communicator* comm = communicator_of(handle);
  if (comm == nullptr || out == nullptr) return ncclInvalidArgument;
  *out = comm->*what;
  return ncclSuccess;
}
ncclResult_t comm_count(ncclComm_t comm, int* count) { return tell(comm, &Communicator::size, count); }
ncclResult_t comm_user_rank(ncclComm_t comm, int* rank) { return tell(comm, &Communicator::rank, rank); }
ncclResult_t comm_cu_device(ncclComm_t comm, int* device) {
  return tell(comm, &Communicator::device, device);
}

ncclResult_t comm_mem_stats(ncclComm_t comm, int, std::uint64_t* value) {
  if (communicator_of(comm) == nullptr || value == nullptr) return ncclInvalidArgument;
  *value = 0;  // nothing is allocated
  return ncclSuccess;
}

}  // namespace echo::exsitu::answers
