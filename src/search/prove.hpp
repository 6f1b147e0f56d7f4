// Checks a certificate again, from the sweep alone: every number in it is worked out again.
#pragma once

#include <cstdint>
#include <string>

#include "search/certificate.hpp"
#include "search/evaluator.hpp"
#include "search/ordered_space.hpp"
#include "sweep/spec.hpp"

namespace echo::search {

struct Proof {
  std::string problem;  // the first thing that does not hold; empty: the certificate is sound
  std::int64_t sets = 0, bounds = 0, simulated = 0, sampled = 0;  // checked
};

// Counts combinations; covers the space by the sets, each combination once; works out every bound, and that
// no set with one can hold a better point; looks again for memory, rules and repeats; simulates the points
// that the search simulated, and `sample` members of sets that it discarded by a bound, drawn by `seed`.
[[nodiscard]] Proof prove(const Certificate&, const sweep::SweepSpec&, const OrderedSpace&, Evaluator&,
                          std::int64_t sample, std::uint64_t seed);

}  // namespace echo::search
