// Training of a small network. Explained in fit_mlp.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/fit/fit.hpp"

namespace echo::learn {

// Preconditions as fit(). The network predicts target / base.
[[nodiscard]] slowdown::Mlp fit_mlp(const Samples&, const MlpSettings&,
                                    const std::vector<std::int32_t>& monotone, std::uint64_t seed);

}  // namespace echo::learn
