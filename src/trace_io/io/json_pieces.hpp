// Reads concatenated JSON objects of a file, with or without white space between them; plain or gzip.
#pragma once

#include <cstdint>
#include <string>

#include "trace_io/io/byte_source.hpp"

namespace echo::trace_io {

class JsonPieces {
 public:
  explicit JsonPieces(const std::string& path) : source_(path) {}  // UserError, 2, where it cannot be opened
  // The text of the next object, or false at the end. Only braces and strings are looked at. Throws
  // UserError, 2, with the byte offset, where the file ends inside one or something else stands between them.
  [[nodiscard]] bool next(std::string& text);
  [[nodiscard]] std::int64_t offset() const { return start_; }  // of the last object

 private:
  [[noreturn]] void fail(std::int64_t offset, const std::string& what) const;

  ByteSource source_;
  std::int64_t start_ = 0;
};

}  // namespace echo::trace_io
