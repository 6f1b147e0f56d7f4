// `validate FILE --recalibrate SITE.toml`, whole.
#pragma once

#include <string>
#include <vector>

namespace echo::cli {

struct RecalibrateArguments {
  std::vector<std::string> tables, sites, preset_paths;  // as given; one table of steps and no site is right
  std::string site_file, csv, slowdown = "auto";
  bool json = false, force = false;
};

// Fits, prints the report, and writes the site preset (and the rows, where a CSV file is named). A preset
// that does not help rows it has not seen is only written by force; else the exit code is 6. Throws
// UserError: 2 where the inputs are wrong, 5 where a file cannot be written.
[[nodiscard]] int recalibrate_and_tell(const RecalibrateArguments&);

}  // namespace echo::cli
