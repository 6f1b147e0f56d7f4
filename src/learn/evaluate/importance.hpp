// What predictions hang on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "learn/evaluate/choose.hpp"

namespace echo::learn {

// Permutation importance (Breiman, "Random forests", 2001, section 10): how much the error of held-out rows
// grows when one input is dealt out among them at random. 0 where predictions do not use it; below 0 where
// it does harm. Inputs that go together share theirs: each looks less important than both are.
struct Importance {
  std::string input;
  double growth = 0.0;  // of the mean error of the overlapped duration, mean over repeats
  double spread = 0.0;  // standard deviation over repeats
};

inline constexpr std::int32_t permutations = 5;

// Of rows that the fitted model was not trained on, or else of rows it knows, which flatters what it learned
// by heart. Inputs that no row knows are left out; the largest first.
[[nodiscard]] std::vector<Importance> importance_of(const Fitted&, const Examples&, Rows, std::uint64_t seed);

// Of one setting of a candidate, over folds: each fold's model on the rows it has not seen.
[[nodiscard]] std::vector<Importance> importance_of(const Candidate&, std::int32_t setting, const Examples&,
                                                    const FoldSettings&);

}  // namespace echo::learn
