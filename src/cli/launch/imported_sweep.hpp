// A launch file, with what the command line adds, as the text of a sweep.
#pragma once

#include <string>
#include <vector>

namespace echo::cli {

struct ImportedSweep {
  std::string file, framework, cluster, gpus, vocab;  // gpus, vocab: numbers as given; empty: not given
  std::vector<std::string> sets, preset_paths;
  bool widened = false;
};

struct SweepOfLaunch {
  std::string text;
  std::vector<std::string> ledger;  // what was taken over, what not and why
};

// Throws UserError with every problem of the file and of the command line.
[[nodiscard]] SweepOfLaunch sweep_of_launch(const ImportedSweep&);

}  // namespace echo::cli
