// Data received from absent peers: small messages contain what this rank would have sent in their place,
// because programs read such data: numbers of tokens per expert, pickled objects, shapes. Large tensors are
// left unchanged: filling them would take GPU time that the real step does not take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exsitu/op_record.hpp"

namespace echo::exsitu {

struct Copy {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
  void* stream = nullptr;
};

// A collective as its caller describes it; `bytes` is what one rank contributes to one other's result: count
// times element.
struct Delivery {
  What what{};
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t bytes = 0;
  std::int32_t size = 1;
  std::int32_t rank = 0;
  std::int32_t root = -1;
  void* stream = nullptr;
};

// In the order they must be made. None overlaps itself; none where the result would be `below` bytes or more.
[[nodiscard]] std::vector<Copy> copies_of(const Delivery&, std::uint64_t below);
// Copies in place of the transfers of one launch: data from a peer equals the data sent to it, where sizes
// agree; and the data that others broadcast equals that of this rank (an all-gather of tensors of any size is
// written as such broadcasts).
[[nodiscard]] std::vector<Copy> copies_of(std::span<const Transfer>, std::uint64_t below);

// On their streams, by the process's CUDA; false where it has none. GPU work is booked on record `serial`.
bool make_copies(std::span<const Copy>, std::uint64_t serial);

}  // namespace echo::exsitu
