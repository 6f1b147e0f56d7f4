// Mutations of an input, drawn from a seed: what disks, editors, other tools and hostile people do to files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace echo::fuzz {

inline constexpr std::size_t most_bytes = 1 << 18;

// One of `seeds`, with one to eight changes: bits, bytes, cuts, repeats, words and numbers from a list of bad
// ones, lines swapped, pieces of another seed, deep nesting. The same for the same `number`.
[[nodiscard]] std::string mutated(const std::vector<std::string>& seeds, std::uint64_t number);

}  // namespace echo::fuzz
