#include "trace_io/model/trace_folder.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

#include "base/error.hpp"
#include "trace_io/io/byte_source.hpp"

namespace echo::trace_io {

bool is_json_name(const std::string& path) { return path.ends_with(".json") || path.ends_with(".json.gz"); }

std::vector<std::string> files_of(const std::string& path,
                                  bool (*is_one)(const std::string&, std::string_view head)) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::string> out;
  std::error_code fault;
  for (const auto& entry : std::filesystem::directory_iterator(path, fault)) {
    const std::string file = entry.path().string();
    if (!is_json_name(file) || !entry.is_regular_file(fault)) continue;
    try {
      if (is_one(file, ByteSource(file).block().substr(0, 4096))) out.push_back(file);
    } catch (const UserError&) {  // what cannot be read is none of them
    }
  }
  std::sort(out.begin(), out.end());
  if (out.empty())
    throw UserError({Problem{{path}, path + " has no such files", "give the folder that has them"}});
  return out;
}

bool has_files(const std::string& folder, bool (*is_one)(const std::string&, std::string_view head)) {
  try {
    return !files_of(folder, is_one).empty();
  } catch (const UserError&) {
    return false;
  }
}

std::int32_t rank_in_name(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t place = name.rfind("rank");
  if (place == name.npos) return -1;
  const std::size_t digits = name.find_first_not_of("-_.", place + 4);
  if (digits == name.npos) return -1;
  std::int32_t rank = -1;
  const auto [end, code] = std::from_chars(name.data() + digits, name.data() + name.size(), rank);
  return code == std::errc{} && rank >= 0 && rank < (1 << 24) ? rank : -1;
}

}  // namespace echo::trace_io
