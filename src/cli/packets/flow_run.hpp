// echo-sweep packets on flows: the files read, the run, and the table it writes.
#pragma once

#include <string>
#include <vector>

namespace echo::cli {

struct FlowRun {
  std::string topology, flows, paths, case_name, control;
  std::vector<std::string> settings;  // "KMAX 100G=1600"
  std::string csv;                    // empty: no table
};

// Reads, simulates, writes the table and prints a summary; returns the exit code. Throws UserError.
int run_flows(const FlowRun&);

// The names, values and units that --set admits, for the congestion control of this name.
void list_parameters(const std::string& control);

}  // namespace echo::cli
