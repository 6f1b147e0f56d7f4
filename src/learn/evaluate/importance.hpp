// Importance of the inputs of predictions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "learn/evaluate/choose.hpp"

namespace echo::learn {

// Permutation importance (Breiman, "Random forests", 2001, section 10): growth of the error of held-out rows
// when one input is permuted among them at random. 0 if predictions do not use it; negative if it is harmful.
// Correlated inputs share their importance: each appears less important than both together.
struct Importance {
  std::string input;
  double growth = 0.0;  // of the mean error of the overlapped duration, mean over repeats
  double spread = 0.0;  // standard deviation over repeats
};

inline constexpr std::int32_t permutations = 5;

// On rows outside the training set, or on training rows, which overrates memorised inputs. Inputs that are
// unknown in all rows are left out; the largest first.
[[nodiscard]] std::vector<Importance> importance_of(const Fitted&, const Examples&, Rows, std::uint64_t seed);

// For one setting of a candidate, over folds: each fold's model on its held-out rows.
[[nodiscard]] std::vector<Importance> importance_of(const Candidate&, std::int32_t setting, const Examples&,
                                                    const FoldSettings&);

}  // namespace echo::learn
