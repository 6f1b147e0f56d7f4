// echo-sweep packets --credits: latency and accepted throughput of a fabric of flits.
#pragma once

#include <string>
#include <vector>

namespace echo::cli {

struct FlitRun {
  std::string topology, traffic, credits, sim_type;  // credits: flits of the buffer of one virtual channel
  std::vector<std::string> rates;                    // of injection, each a run
  std::vector<std::string> settings;                 // "num_vcs=4"
  std::string csv;                                   // empty: the table goes to the terminal
};

// Simulates every rate, writes the table and returns the exit code. Throws UserError.
int run_flit_rates(const FlitRun&);

}  // namespace echo::cli
