// Settings as the text of a launch file, and points as the text of a sweep.
#pragma once

#include <string>
#include <vector>

#include "launch_flags/import.hpp"

namespace echo::launch_flags {

// A script, YAML, TOML or JSON, as the table has it. `comments`: lines that stand first; in JSON, which has
// no comments, as the list "_comment". Variables of the environment are exported by scripts, and stand among
// the comments of the others as "export NAME=VALUE", where readers of comments find them.
[[nodiscard]] std::string launch_text(const Settings&, const Table&,
                                      const std::vector<std::string>& comments);

// What `#` comments "export NAME=VALUE" of YAML and TOML say, and lines of the list "_comment" of JSON.
[[nodiscard]] Settings exported_in_comments(const std::string& text, const std::string& file);

// Without line ends and other control characters: a comment ends where it should.
[[nodiscard]] std::string one_line(std::string text);

struct SweepText {
  std::string file;      // that was imported
  bool widened = false;  // a space around the point: degrees, microbatch, recomputation and ZeRO vary
};
// Axes that are idle in `config` are left out.
[[nodiscard]] std::string sweep_text(const Imported&, const training::TrainingConfig& config,
                                     const simulate::Catalog&, const Table&, const SweepText&);

// "12 settings taken over, 30 ignored; ..." and one line for each that matters and is not taken over.
[[nodiscard]] std::vector<std::string> ledger_of(const Imported&, const Table&);

}  // namespace echo::launch_flags
