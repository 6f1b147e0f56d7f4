// Reads the bytes of a file block by block; gzip is decompressed.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace echo::trace_io {

class ByteSource {
 public:
  // Throws UserError, 2, where the file cannot be opened or turns out to be damaged.
  explicit ByteSource(const std::string& path);
  // The next bytes, good until the call after; none at the end.
  [[nodiscard]] std::string_view block();
  // The next line without its end, valid as long. Nothing at the end. A line of more than `longest_line` is
  // an error.
  [[nodiscard]] bool line(std::string& out);
  // The next byte, or -1 at the end; the next bytes, `most` or fewer, none at the end. Good with line().
  [[nodiscard]] int byte() {
    if (rest_.empty()) rest_ = block();
    if (rest_.empty()) return -1;
    const auto out = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return out;
  }
  [[nodiscard]] std::string_view bytes(std::size_t most);
  // Bytes, decompressed, before the next that these and line() take.
  [[nodiscard]] std::int64_t offset() const { return read_ - static_cast<std::int64_t>(rest_.size()); }
  [[nodiscard]] const std::string& path() const { return path_; }
  static constexpr std::size_t longest_line = std::size_t{1} << 28;

 private:
  struct Close {
    void operator()(gzFile_s* file) const { gzclose(file); }
  };
  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::vector<char> bytes_;
  std::string_view rest_;  // of the block, for all but block()
  std::int64_t read_ = 0;  // up to the block's end
};

}  // namespace echo::trace_io
