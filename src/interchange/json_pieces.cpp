#include "interchange/json_pieces.hpp"

#include <zlib.h>

#include "base/error.hpp"

namespace echo::interchange {

namespace {

constexpr std::size_t piece = 1 << 16;
constexpr std::size_t longest = std::size_t{1} << 30;

bool is_space(int c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

void JsonPieces::Close::operator()(void* file) const { gzclose(static_cast<gzFile>(file)); }

JsonPieces::JsonPieces(const std::string& path)
    : path_(path), file_(static_cast<void*>(gzopen(path.c_str(), "rb"))) {
  if (file_ == nullptr)
    throw UserError({Problem{Place{path}, "the file cannot be read", "check the path and its permissions"}});
}

void JsonPieces::fail(std::int64_t offset, const std::string& what) const {
  throw UserError({Problem{Place{path_}, "byte " + std::to_string(offset) + ": " + what,
                           "the file is damaged or was cut off; write or copy it again"}});
}

int JsonPieces::next_byte() {
  if (used_ == buffer_.size()) {
    read_ += static_cast<std::int64_t>(buffer_.size());
    buffer_.resize(piece);
    const int count = gzread(static_cast<gzFile>(file_.get()), buffer_.data(), static_cast<unsigned>(piece));
    buffer_.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    used_ = 0;
    if (count < 0) fail(read_, "what is compressed here cannot be unpacked");
  }
  return buffer_.empty() ? -1 : static_cast<unsigned char>(buffer_[used_++]);
}

bool JsonPieces::next(std::string& text) {
  text.clear();
  int byte = next_byte();
  while (is_space(byte)) byte = next_byte();
  start_ = read_ + static_cast<std::int64_t>(used_) - 1;
  if (byte < 0) return false;
  if (byte != '{') fail(start_, "here should be an object of JSON");
  int depth = 0;
  bool quoted = false, escaped = false;
  for (;; byte = next_byte()) {
    if (byte < 0) fail(start_, "the file ends inside the object that begins here");
    if (text.size() == longest) fail(start_, "the object that begins here is longer than a gigabyte");
    text.push_back(static_cast<char>(byte));
    if (quoted) {
      quoted = escaped || byte != '"';
      escaped = !escaped && byte == '\\';
    } else if (byte == '"') {
      quoted = true;
    } else if (byte == '{') {
      ++depth;
    } else if (byte == '}' && --depth == 0) {
      return true;
    }
  }
}

}  // namespace echo::interchange
