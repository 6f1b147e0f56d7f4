#include "config/toml/read_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <utility>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/memory_limit.hpp"

namespace echo::config {

std::optional<std::string> read_whole_file(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  return within_memory(path, [&] {
    std::string text(static_cast<std::size_t>(std::filesystem::file_size(path)), '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return std::optional(std::move(text));
  });
}

void write_whole_file(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  out.flush();
  if (!out) throw UserError("cannot write " + path, "check the path, its permissions and free space", 5);
}

std::string fingerprint(const std::string& bytes) {
  Digest digest;
  digest.add(std::as_bytes(std::span(bytes)));
  return digest.hex();
}

std::vector<std::string> toml_files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace echo::config
