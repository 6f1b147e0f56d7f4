// SQLite exports of Nsight Systems as a trace: a rank a GPU of the report.
#pragma once

#include "interchange/format.hpp"

namespace echo::interchange {

[[nodiscard]] trace::Trace read_nsight(const Source&);

}  // namespace echo::interchange
