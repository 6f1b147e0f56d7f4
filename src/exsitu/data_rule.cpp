#include "exsitu/data_rule.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "exsitu/cuda_calls.hpp"
#include "exsitu/gpu_side.hpp"

namespace echo::exsitu {

static char* slot(void* base, std::size_t bytes, std::int64_t at) {
  return static_cast<char*>(base) + bytes * static_cast<std::size_t>(at);
}
static const char* slot(const void* base, std::size_t bytes, std::int64_t at) {
  return static_cast<const char*>(base) + bytes * static_cast<std::size_t>(at);
}

// Copies one part into every slot: the first slot, then each time all filled slots behind themselves, so few
// copies fill many slots.
static std::vector<Copy> into_all(const Delivery& d, const void* part) {
  std::vector<Copy> copies;
  if (d.to != part) copies.push_back({d.to, part, d.bytes, d.stream});
  for (std::int64_t filled = 1; filled < d.size;) {
    const std::int64_t more = std::min<std::int64_t>(filled, d.size - filled);
    copies.push_back({slot(d.to, d.bytes, filled), d.to, d.bytes * static_cast<std::size_t>(more), d.stream});
    filled += more;
  }
  return copies;
}

static std::vector<Copy> one(const Delivery& d, const void* from, std::size_t bytes) {
  if (from == d.to) return {};
  return {{d.to, from, bytes, d.stream}};
}

static bool delivers_to_all_slots(What what) {
  return what == What::all_gather || what == What::all_to_all || what == What::gather;
}

std::vector<Copy> copies_of(const Delivery& d, std::uint64_t below) {
  const std::size_t result =
      delivers_to_all_slots(d.what) ? d.bytes * static_cast<std::size_t>(d.size) : d.bytes;
  if (result == 0 || result >= below || d.to == nullptr || d.from == nullptr) return {};
  const bool is_root = d.root == d.rank;
  switch (d.what) {
    case What::all_gather:
      return into_all(d, d.from);
    case What::gather:
      return is_root ? into_all(d, d.from) : std::vector<Copy>{};
    case What::reduce_scatter:
      return one(d, slot(d.from, d.bytes, d.rank), d.bytes);
    case What::all_reduce:
      return one(d, d.from, d.bytes);
    case What::all_to_all:
      return one(d, d.from, result);
    case What::reduce:
    case What::broadcast:
      return is_root ? one(d, d.from, d.bytes) : std::vector<Copy>{};
    case What::scatter:
      return is_root ? one(d, slot(d.from, d.bytes, d.rank), d.bytes) : std::vector<Copy>{};
    default:
      return {};
  }
}

// Contiguous pieces of one buffer are copied as one.
static void append(std::vector<Copy>& copies, const Copy& next) {
  if (!copies.empty()) {
    Copy& last = copies.back();
    if (last.stream == next.stream && slot(last.to, last.bytes, 1) == next.to &&
        slot(last.from, last.bytes, 1) == next.from) {
      last.bytes += next.bytes;
      return;
    }
  }
  copies.push_back(next);
}

static void append_if_small(std::vector<Copy>& copies, const Transfer& to, const Transfer& from,
                            std::uint64_t below) {
  if (from.bytes == to.bytes && to.bytes > 0 && to.bytes < below && to.to != from.from)
    append(copies, {to.to, from.from, to.bytes, to.stream});
}

static void append_exchanges(std::vector<Copy>& copies, std::span<const Transfer> transfers,
                             std::uint64_t below) {
  using Peer = std::pair<std::uint32_t, std::int32_t>;  // of a communicator
  struct Sends {
    std::vector<const Transfer*> all;
    std::size_t answered = 0;
  };
  std::map<Peer, Sends> sends;
  for (const Transfer& t : transfers)
    if (t.what == What::send) sends[{t.comm, t.peer}].all.push_back(&t);
  for (const Transfer& recv : transfers) {
    if (recv.what != What::recv) continue;
    const auto found = sends.find({recv.comm, recv.peer});
    if (found == sends.end() || found->second.answered == found->second.all.size()) continue;
    append_if_small(copies, recv, *found->second.all[found->second.answered++],
                    below);  // the k-th answers the k-th
  }
}

static void append_broadcasts(std::vector<Copy>& copies, std::span<const Transfer> transfers,
                              std::uint64_t below) {
  std::map<std::pair<std::uint32_t, std::size_t>, const Transfer*> own;  // by communicator and size
  for (const Transfer& t : transfers)
    if (t.what == What::broadcast && t.is_root) own.emplace(std::pair(t.comm, t.bytes), &t);
  for (const Transfer& t : transfers) {
    if (t.what != What::broadcast || t.is_root) continue;
    const auto found = own.find({t.comm, t.bytes});
    if (found != own.end()) append_if_small(copies, t, *found->second, below);
  }
}

std::vector<Copy> copies_of(std::span<const Transfer> transfers, std::uint64_t below) {
  std::vector<Copy> copies;
  append_exchanges(copies, transfers, below);
  append_broadcasts(copies, transfers, below);
  return copies;
}

bool make_copies(std::span<const Copy> copies, std::uint64_t serial) {
  if (copies.empty()) return false;
  const auto copy = cuda_calls().copy;
  if (copy == nullptr) return false;
  const GpuSide side = gpu_side();
  if (side.push != nullptr) side.push(serial);
  for (const Copy& c : copies) copy(c.to, c.from, c.bytes, c.stream);
  if (side.pop != nullptr) side.pop();
  return true;
}

}  // namespace echo::exsitu
