// Places in vectors and tables: counted in 32 bits, as ids and ranks are, or by an enumerator, where the
// standard library counts in 64 bits.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace echo {

// Contract: not negative. `ends[at(stage)]`, `part_names[at(part)]`.
template <class Index>
requires std::integral<Index> || std::is_enum_v<Index>
[[nodiscard]] constexpr std::size_t at(Index index) { return static_cast<std::size_t>(index); }

}  // namespace echo
