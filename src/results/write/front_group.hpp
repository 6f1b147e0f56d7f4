// /pareto: the front of the rows of a file.
#pragma once

#include <span>

#include "results/rank/robust_front.hpp"

namespace echo::results {

// /pareto: the front as predicted, as an NXdata group, the first of two objectives over the second, so that
// HDF5 viewers draw it on opening; /pareto/unproven: the other points, where there are any. `columns`: of the
// two objectives. `front`: robust_front().
void write_front(storage::Hdf5File&, std::span<const FrontPoint> front,
                 std::span<const sweep::Objective> objectives, std::span<const ColumnInfo> columns);

}  // namespace echo::results
