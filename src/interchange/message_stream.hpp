// Messages behind their lengths (a base-128 number each), as protobuf files hold them; plain or gzip.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace echo::interchange {

class MessageStream {
 public:
  explicit MessageStream(const std::string& path);  // UserError, 2, where it cannot be opened
  // The next message, or false at the end of the file. Throws UserError, 2, with the byte offset, where the
  // file ends inside a message, is damaged, or claims a length that no message has.
  [[nodiscard]] bool next(std::string& message);
  // Where the last message began, its length included; in bytes of the decompressed file.
  [[nodiscard]] std::int64_t offset() const { return start_; }

 private:
  [[nodiscard]] int next_byte();  // -1 at the end
  [[noreturn]] void fail(const std::string& what) const;
  void fill();

  struct Close {
    void operator()(void* file) const;
  };
  std::string path_;
  std::unique_ptr<void, Close> file_;  // a gzFile
  std::string buffer_;
  std::size_t used_ = 0;
  std::int64_t read_ = 0;  // bytes of the file before buffer_
  std::int64_t start_ = 0;
};

// Appends `message` behind its length.
void append_message(std::string& out, std::string_view message);

}  // namespace echo::interchange
