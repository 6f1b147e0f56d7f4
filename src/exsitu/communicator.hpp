// A communicator of which this process is one rank and the others do not exist.
#pragma once

#include <nccl.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace echo::exsitu {

struct Communicator {
  std::uint64_t magic =
      alive;             // first, where NCCL keeps its own, so that neither takes the other's for its own
  std::uint32_t id = 0;  // of this process, from 1
  std::int32_t size = 1;
  std::int32_t rank = 0;
  std::int32_t device = 0;
  std::string name;
  std::vector<std::int32_t> members;  // global ranks; empty: not known
  bool is_assumed = false;            // members, or even the size, are a guess
  std::mutex mutex;
  std::vector<bool> operators;  // of ncclRedOpCreate*, by number - ncclNumOps; true: in use
  static constexpr std::uint64_t alive = 0x6563686f6e63636c;
};

struct NewCommunicator {
  std::int32_t size = 1;
  std::int32_t rank = 0;
  std::string_view name;
  std::vector<std::int32_t> members;
  bool is_assumed = false;
  std::int32_t color = -1;   // as split by
  std::uint32_t parent = 0;  // its id; 0: none
};

// Makes and records one. A handle is never given out twice, and stays readable when its communicator is gone.
[[nodiscard]] ncclComm_t make_communicator(NewCommunicator);
void end_communicator(Communicator&);
// Null for null, for one that has been ended and for anything else that is none of ours.
[[nodiscard]] Communicator* communicator_of(ncclComm_t);

}  // namespace echo::exsitu
