// The end of a program on several workers where one of them met what no code expected.
#pragma once

#include <exception>

#include "parallel/session.hpp"

namespace echo::cli {

// Says what it is (base/unforeseen.hpp) and ends every worker: the others may be waiting for this one.
[[noreturn]] void abort_all(const parallel::Session&, const std::exception&);

}  // namespace echo::cli
