// Records of NCCL calls and of ncclGroup: all calls between the outermost start and end of a thread are one
// launch.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exsitu/record.hpp"

namespace echo::exsitu {

// Bytes of an element; 0 of what is no type.
[[nodiscard]] std::size_t type_bytes(int type);

// With time and thread filled in, and the launch, if the thread is inside a group.
[[nodiscard]] Record record_of_call(What, std::uint32_t comm);

// Half of an exchange with one peer, or a broadcast, kept until the group it stands in ends.
struct Transfer {
  What what{};  // send, recv, broadcast
  std::uint32_t comm = 0;
  std::int32_t peer = 0;  // or root
  bool is_root = false;
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t bytes = 0;
  void* stream = nullptr;
};

void start_group();
// False outside of any. `transfers` are those of the whole launch where this was the outermost, else none.
enum class GroupEnd { sent, dropped };
[[nodiscard]] bool end_group(GroupEnd, std::vector<Transfer>& transfers);
[[nodiscard]] bool is_in_group();
void keep_transfer(const Transfer&);

}  // namespace echo::exsitu
