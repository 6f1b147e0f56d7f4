// A path in the temporary folder that nobody else uses; what stands there goes away with it.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace echo {

struct TempFile {
  explicit TempFile(const std::string& name) {
    static int number = 0;
    path = std::filesystem::temp_directory_path() /
           ("echo_" + std::to_string(::getpid()) + "_" + std::to_string(number++) + "_" + name);
  }
  ~TempFile() { std::filesystem::remove(path); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  std::filesystem::path path;
};

}  // namespace echo
