// The bytes of a file, block by block, decompressed where it is gzip.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace echo::interchange {

class ByteSource {
 public:
  // UserError, 2, where it cannot be opened; likewise where it turns out damaged.
  explicit ByteSource(const std::string& path);
  // The next bytes, good until the call after; none at the end.
  [[nodiscard]] std::string_view block();
  // The next line without its end, likewise. Nothing at the end. A line of more than `longest_line` is an
  // error.
  [[nodiscard]] bool line(std::string& out);
  [[nodiscard]] const std::string& path() const { return path_; }
  static constexpr std::size_t longest_line = std::size_t{1} << 28;

 private:
  struct Close {
    void operator()(gzFile_s* file) const { gzclose(file); }
  };
  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::vector<char> bytes_;
  std::string_view rest_;  // of the block, for line()
};

}  // namespace echo::interchange
