// /provenance: whatever differs between two runs of the same sweep. Never part of the digest.
#pragma once

#include <cstdint>
#include <span>

#include "results/result_file.hpp"
#include "results/row_stream.hpp"
#include "storage/hdf5.hpp"

namespace echo::results {

// Texts, inputs and launches; makes /provenance/points with room for `rows` points along /config.
void write_provenance(storage::Hdf5File&, const Provenance&, std::uint64_t rows);
// Time, worker and launch of the points of one batch.
void write_points(storage::Hdf5File&, std::span<const FinishedRow>, std::uint64_t first);

}  // namespace echo::results
