// Collective algorithm plug-ins: one file each in algorithms/.
#pragma once

#include <span>

namespace echo::collective {

struct Algorithm {
  const char* name;
  const char* source;
};

[[nodiscard]] std::span<const Algorithm* const> algorithm_table();  // sorted by name; ids index it

}  // namespace echo::collective
