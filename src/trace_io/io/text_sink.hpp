// Writes a text file, compressed if its name ends in .gz.
#pragma once

#include <zlib.h>

#include <memory>
#include <string>
#include <string_view>

namespace echo::trace_io {

class TextSink {
 public:
  // Failures of this and of what follows are UserErrors of exit code 5.
  explicit TextSink(const std::string& path);
  void put(std::string_view);
  void finish();  // once: what was put is with the system

 private:
  struct Close {
    void operator()(gzFile_s* file) const { gzclose(file); }
  };
  [[noreturn]] void refuse() const;
  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
};

}  // namespace echo::trace_io
