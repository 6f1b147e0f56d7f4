#include "trace_io/io/json_pieces.hpp"

#include "base/error.hpp"

namespace echo::trace_io {

namespace {

constexpr std::size_t longest = std::size_t{1} << 30;

bool is_space(int c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

void JsonPieces::fail(std::int64_t offset, const std::string& what) const {
  throw UserError({Problem{Place{source_.path()}, "byte " + std::to_string(offset) + ": " + what,
                           "the file is damaged or truncated; write or copy it again"}});
}

bool JsonPieces::next(std::string& text) {
  text.clear();
  int byte = source_.byte();
  while (is_space(byte)) byte = source_.byte();
  if (byte < 0) return false;
  start_ = source_.offset() - 1;
  if (byte != '{') fail(start_, "expected a JSON object");
  int depth = 0;
  bool quoted = false, escaped = false;
  for (;; byte = source_.byte()) {
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

}  // namespace echo::trace_io
