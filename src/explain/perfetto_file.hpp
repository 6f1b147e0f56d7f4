// Writes text to a file, compressed by zlib if its name ends in .gz.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace echo::explain {

class TraceFile {
 public:
  explicit TraceFile(const std::filesystem::path&);  // UserError 5 if it cannot be created
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  ~TraceFile();
  void write(std::string_view text);  // UserError 5 if the disk is full
  void close();                       // reports errors that a destructor cannot

 private:
  [[noreturn]] void refuse() const;
  std::filesystem::path path_;
  std::FILE* plain_ = nullptr;
  void* compressed_ = nullptr;  // gzFile
};

}  // namespace echo::explain
