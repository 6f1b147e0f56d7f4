// Where a step runs: in a benchmark, or in a production run.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace echo::simulate {

// benchmark: alone, on chosen nodes, with nothing beside it, as published benchmarks are; production: as a
// step of a long run (report/production.hpp).
enum class Setting : std::int8_t { benchmark, production };
inline constexpr std::array<std::string_view, 2> setting_names{"benchmark", "production"};

}  // namespace echo::simulate
