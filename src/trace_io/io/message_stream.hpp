// Reads length-delimited messages (base-128 lengths) of protobuf files; plain or gzip.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace_io/io/byte_source.hpp"

namespace echo::trace_io {

class MessageStream {
 public:
  explicit MessageStream(const std::string& path)
      : source_(path) {}  // UserError, 2, where it cannot be opened
  // The next message, or false at the end of the file. Throws UserError, 2, with the byte offset, where the
  // file ends inside a message, is damaged, or claims a length that no message has.
  [[nodiscard]] bool next(std::string& message);
  // Where the last message began, its length included; in bytes of the decompressed file.
  [[nodiscard]] std::int64_t offset() const { return start_; }

 private:
  [[noreturn]] void fail(const std::string& what) const;

  ByteSource source_;
  std::int64_t start_ = 0;
};

// Appends `message` behind its length.
void append_message(std::string& out, std::string_view message);

}  // namespace echo::trace_io
