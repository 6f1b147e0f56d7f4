// JSON objects one after the other in a file, with nothing or white space between them; plain or gzip.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace echo::interchange {

class JsonPieces {
 public:
  explicit JsonPieces(const std::string& path);  // UserError, 2, where it cannot be opened
  // The text of the next object, or false at the end. Only braces and strings are looked at. Throws
  // UserError, 2, with the byte offset, where the file ends inside one or something else stands between them.
  [[nodiscard]] bool next(std::string& text);
  [[nodiscard]] std::int64_t offset() const { return start_; }  // of the last object

 private:
  [[nodiscard]] int next_byte();  // -1 at the end
  [[noreturn]] void fail(std::int64_t offset, const std::string& what) const;

  struct Close {
    void operator()(void* file) const;
  };
  std::string path_;
  std::unique_ptr<void, Close> file_;  // a gzFile
  std::string buffer_;
  std::size_t used_ = 0;
  std::int64_t read_ = 0;
  std::int64_t start_ = 0;
};

}  // namespace echo::interchange
