// Places in vectors and tables: counted in 32 bits, as ids and ranks are, or by an enumerator, where the
// standard library counts in 64 bits.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "base/id.hpp"

namespace echo {

// Contract: not negative. `ends[at(stage)]`, `part_names[at(part)]`.
template <class Index>
requires std::integral<Index> || std::is_enum_v<Index>
[[nodiscard]] constexpr std::size_t at(Index index) { return static_cast<std::size_t>(index); }

// Contract: not none.
template <class Tag>
[[nodiscard]] constexpr std::size_t at(Id<Tag> id) {
  return static_cast<std::size_t>(id.index());
}

// The number of elements, as ids count them: ids<OpId>(length_of(ops)).
template <class Container>
[[nodiscard]] constexpr std::int32_t length_of(const Container& container) {
  return static_cast<std::int32_t>(container.size());
}

}  // namespace echo
