// Baselines for learned slowdown models.
#pragma once

#include "learn/candidates/candidates.hpp"

namespace echo::learn {

[[nodiscard]] Candidate no_slowdown();
// The median slowdown of the rows of one text, such as their kernel's name; none for a text absent in
// training.
[[nodiscard]] Candidate median_by(std::string name, std::string what,
                                  const std::string& (*text_of)(const slowdown::OverlapRow&));
[[nodiscard]] Candidate median_by_kernel_name();
// The settings of Echo's module (NetX-lab/Echo-slowdown): XGBoost, 100 rounds, depth 12, defaults otherwise,
// fitted to the slowdown itself with metrics and overlap ratio as features, all rows, unweighted.
[[nodiscard]] Candidate echo_settings();

}  // namespace echo::learn
