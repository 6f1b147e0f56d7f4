// The command `validate FILE --recalibrate SITE.toml`.
#pragma once

#include <string>
#include <vector>

namespace echo::cli {

struct RecalibrateArguments {
  std::vector<std::string> tables, sites, preset_paths;  // as given; valid are one table of steps and no site
  std::string site_file, csv, slowdown = "auto";
  bool json = false, force = false;
};

// Fits, prints the report, and writes the site preset (and the rows, if a CSV file is named). A preset that
// does not improve held-out rows is written only with --force; otherwise the exit code is 6. Throws
// UserError: 2 if the inputs are wrong, 5 if a file cannot be written.
[[nodiscard]] int recalibrate_and_tell(const RecalibrateArguments&);

}  // namespace echo::cli
