// Fits network constants to published collective times, and reports their errors on held-out rows.
#pragma once

#include <span>
#include <vector>

#include "calibrate/network/network_measurements.hpp"
#include "collective/constants.hpp"

namespace echo::calibrate {

struct NetworkErrors {
  std::int64_t rows = 0;
  double median = 0.0, mean = 0.0;  // absolute percentage errors, as fractions
  double median_large = 0.0;        // of the rows of at least 16 MiB
  double bias = 0.0;                // mean log ratio of predicted to measured
  std::vector<double> absolute;     // every error, for pooling
  std::vector<double> absolute_large;
};

struct NetworkFit {
  collective::NetworkConstants constants;
  std::vector<double> error;  // per field: of the fit, or how far it wanders between the folds
  std::vector<bool> moved;    // per field: whether any row depends on it
  NetworkErrors fitted, held_out, test_only;
  NetworkErrors more_nodes;  // rows of more than two nodes under a fit to the others alone
};

// `start` is both the first guess and the centre of the priors. Deterministic.
[[nodiscard]] NetworkFit fit_network(std::span<const NetworkMeasurement> rows,
                                     const collective::NetworkConstants& start,
                                     collective::Guess guess = collective::Guess::other_gpu);

[[nodiscard]] NetworkErrors network_errors(std::span<const NetworkMeasurement> rows,
                                           const collective::NetworkConstants&);

[[nodiscard]] double median_or_zero(const std::vector<double>& errors);  // zero of none

// The command: fits every network in turn, prints the table of errors, writes <folder>/<name>.toml where
// asked. args: [--out FOLDER]; data from ECHO_DATA_DIR. Returns the exit code.
[[nodiscard]] int run_networks(std::span<char*> args);

}  // namespace echo::calibrate
