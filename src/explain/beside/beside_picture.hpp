// Draws a recorded and a simulated stretch for Perfetto, one process above the other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "explain/beside/ledger.hpp"

namespace echo::explain {

// Both begin at zero; a thread per stream or lane. An event says its role, and of a pair what the other side
// took. Compressed if the name ends in .gz. Returns the events written. UserError 5 if the file cannot be.
std::int64_t draw_beside(const Beside&, const std::string& recorded_what, const std::string& simulated_what,
                         const std::filesystem::path&);

}  // namespace echo::explain
