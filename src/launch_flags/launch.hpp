// A config as a launch file, checked by reading it back.
#pragma once

#include <string>
#include <vector>

#include "launch_flags/import.hpp"

namespace echo::launch_flags {

struct Unsaid {
  std::string axis, value;  // of the config
  std::string otherwise;    // what a reader of the file gets instead; empty: nothing, the file leaves it open
};

struct Launch {
  Settings settings;
  std::vector<Unsaid> unsaid;  // in the order of axes.toml
};

// The settings that run the config, and what they do not say: the axes that come out differently when the
// settings are read back. `catalog` may receive layer splits.
[[nodiscard]] Launch launch_of(const training::TrainingConfig&, const Table&, simulate::Catalog& catalog);

// What a reader of the settings gets who knows the cluster and what is unsaid.
[[nodiscard]] Imported read_back(const Settings&, const std::vector<Unsaid>&, const Table&,
                                 const simulate::Catalog&, Problems&);

// The whole file, with comments on what it leaves unsaid and on how it is imported again.
[[nodiscard]] std::string launch_file(const Launch&, const Table&, const std::string& title);

}  // namespace echo::launch_flags
