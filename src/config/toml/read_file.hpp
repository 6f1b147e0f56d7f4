// Whole files as bytes, their fingerprint, and the TOML files of a folder in a fixed order.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace echo::config {

// Nothing where it cannot be read. Throws UserError, 2, where it is larger than memory_limit().
[[nodiscard]] std::optional<std::string> read_whole_file(const std::string& path);
// Throws UserError (exit 5) if it cannot be written.
void write_whole_file(const std::string& path, const std::string& bytes);
[[nodiscard]] std::string fingerprint(const std::string& bytes);                  // XXH3-128, 32 hex digits
[[nodiscard]] std::vector<std::string> toml_files_in(const std::string& folder);  // sorted; none where absent

}  // namespace echo::config
