#include "interchange/message_stream.hpp"

#include <zlib.h>

#include <algorithm>

#include "base/error.hpp"

namespace echo::interchange {

namespace {

constexpr std::size_t piece = 1 << 16;
// A node holds the shapes of its tensors, and the text format's converter puts its whole input into the
// metadata; nothing comes near this.
constexpr std::uint64_t longest_message = 1 << 28;
constexpr int longest_length = 5;  // bytes of a 32-bit number

}  // namespace

void MessageStream::Close::operator()(void* file) const { gzclose(static_cast<gzFile>(file)); }

MessageStream::MessageStream(const std::string& path)
    : path_(path), file_(static_cast<void*>(gzopen(path.c_str(), "rb"))) {
  if (file_ == nullptr)
    throw UserError({Problem{Place{path}, "the file cannot be read", "check the path and its permissions"}});
}

void MessageStream::fail(const std::string& what) const {
  throw UserError({Problem{Place{path_}, "byte " + std::to_string(start_) + ": " + what,
                           "the file is damaged or was cut off; record or copy it again"}});
}

void MessageStream::fill() {
  read_ += static_cast<std::int64_t>(buffer_.size());
  buffer_.resize(piece);
  const int count = gzread(static_cast<gzFile>(file_.get()), buffer_.data(), static_cast<unsigned>(piece));
  buffer_.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  used_ = 0;
  int error = Z_OK;
  gzerror(static_cast<gzFile>(file_.get()), &error);
  if (count < 0 || (count == 0 && error != Z_OK && error != Z_STREAM_END))
    fail("what is compressed here cannot be unpacked");
}

int MessageStream::next_byte() {
  if (used_ == buffer_.size()) fill();
  return buffer_.empty() ? -1 : static_cast<unsigned char>(buffer_[used_++]);
}

bool MessageStream::next(std::string& message) {
  message.clear();
  start_ = read_ + static_cast<std::int64_t>(used_);
  std::uint64_t length = 0;
  for (int i = 0;; ++i) {
    const int byte = next_byte();
    if (byte < 0 && i == 0) return false;
    if (byte < 0) fail("the file ends inside the length of a message");
    length |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
    if ((byte & 0x80) == 0) break;
    if (i + 1 == longest_length) fail("a length is longer than five bytes");
  }
  if (length > longest_message)
    fail("a message claims " + std::to_string(length) + " bytes, more than any message has");
  while (message.size() < length) {  // piece by piece: the claim may be a lie
    if (used_ == buffer_.size()) fill();
    if (buffer_.empty())
      fail("the file ends inside a message of " + std::to_string(length) + " bytes, of which it has " +
           std::to_string(message.size()));
    const std::size_t count = std::min<std::size_t>(length - message.size(), buffer_.size() - used_);
    message.append(buffer_, used_, count);
    used_ += count;
  }
  return true;
}

void append_message(std::string& out, std::string_view message) {
  std::uint64_t length = message.size();
  for (; length >= 0x80; length >>= 7) out.push_back(static_cast<char>(0x80 | (length & 0x7f)));
  out.push_back(static_cast<char>(length));
  out.append(message);
}

}  // namespace echo::interchange
