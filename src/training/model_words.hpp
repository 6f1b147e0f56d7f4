// Words of a model's norms and positions, in the order of their enumerators, as presets and launch tables
// have them.
#pragma once

#include <array>
#include <string_view>

namespace echo::training {

inline constexpr std::array<std::string_view, 2> norm_words{"layer", "rms"};  // Norm
inline constexpr std::array<std::string_view, 4> position_words{"learned", "rope", "alibi",
                                                                "none"};  // Positions

}  // namespace echo::training
