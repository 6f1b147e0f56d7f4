// The files of a trace, one per rank.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace echo::trace_io {

// `path` itself where it is a file; else the files of the folder, by name, that `is_one` takes by path and
// first bytes.
[[nodiscard]] std::vector<std::string> files_of(const std::string& path,
                                                bool (*is_one)(const std::string&, std::string_view head));

// Whether the folder has any.
[[nodiscard]] bool has_files(const std::string& folder,
                             bool (*is_one)(const std::string&, std::string_view head));

// "rank-7", "rank_7", "rank7" in the file's name; -1: it does not say.
[[nodiscard]] std::int32_t rank_in_name(const std::string& path);

// Endings .json and .json.gz.
[[nodiscard]] bool is_json_name(const std::string& path);

}  // namespace echo::trace_io
