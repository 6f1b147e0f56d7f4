#include "trace_io/io/message_stream.hpp"

#include "base/error.hpp"

namespace echo::trace_io {

namespace {

// A node holds the shapes of its tensors, and the text format's converter puts its whole input into the
// metadata; both are far smaller than this.
constexpr std::uint64_t longest_message = 1 << 28;
constexpr int longest_length = 5;  // bytes of a 32-bit number

}  // namespace

void MessageStream::fail(const std::string& what) const {
  throw UserError({Problem{Place{source_.path()}, "byte " + std::to_string(start_) + ": " + what,
                           "the file is damaged or truncated; record or copy it again"}});
}

bool MessageStream::next(std::string& message) {
  message.clear();
  start_ = source_.offset();
  std::uint64_t length = 0;
  for (int i = 0;; ++i) {
    const int byte = source_.byte();
    if (byte < 0 && i == 0) return false;
    if (byte < 0) fail("the file ends inside the length of a message");
    length |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
    if ((byte & 0x80) == 0) break;
    if (i + 1 == longest_length) fail("a length is longer than five bytes");
  }
  if (length > longest_message)
    fail("a message claims " + std::to_string(length) + " bytes, more than is possible");
  while (message.size() < length) {  // piece by piece: the claim may be a lie
    const std::string_view more = source_.bytes(length - message.size());
    if (more.empty())
      fail("the file ends inside a message of " + std::to_string(length) + " bytes, of which it has " +
           std::to_string(message.size()));
    message.append(more);
  }
  return true;
}

void append_message(std::string& out, std::string_view message) {
  std::uint64_t length = message.size();
  for (; length >= 0x80; length >>= 7) out.push_back(static_cast<char>(0x80 | (length & 0x7f)));
  out.push_back(static_cast<char>(length));
  out.append(message);
}

}  // namespace echo::trace_io
