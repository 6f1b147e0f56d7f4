// A JSON pull parser: the caller reads value by value, from text or from a file of any size, of which one
// block is in memory. Lenient towards careless writers of traces: NaN and Infinity are numbers, control
// characters and unknown escapes are kept as they are.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "trace_io/io/byte_source.hpp"

namespace echo::trace_io {

// The error, and its byte.
class JsonFault : public std::exception {
 public:
  JsonFault(std::int64_t offset, std::string what) : offset_(offset), what_(std::move(what)) {}
  [[nodiscard]] std::int64_t offset() const { return offset_; }
  [[nodiscard]] const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::int64_t offset_;
  std::string what_;
};

// UserError: the fault, its byte, and what to do about it.
[[noreturn]] void refuse(const std::string& file, const JsonFault&, std::string remedy);

class JsonPull {
 public:
  enum class Kind : std::int8_t { object, array, string, number, boolean, null, end };

  explicit JsonPull(std::string_view text) : rest_(text), size_(static_cast<std::int64_t>(text.size())) {}
  explicit JsonPull(ByteSource& source) : source_(&source) {}

  [[nodiscard]] Kind peek();  // of the value that comes next
  // Each takes that value, which must be of its kind. object: calls `take` with each key, valid until it
  // reads a key itself; array: with each element to come; both must take the value.
  template <class Take>
  void object(const Take& take) {
    expect('{', "an object");
    for (bool first = true; more(first, '}'); first = false) {
      key();
      take(std::string_view(key_));
    }
    --depth_;
  }
  template <class Take>
  void array(const Take& take) {
    expect('[', "a list");
    for (bool first = true; more(first, ']'); first = false) take();
    --depth_;
  }
  [[nodiscard]] std::string_view string();  // valid until the next call of anything
  [[nodiscard]] std::string_view number();  // as it is written, valid as long
  [[nodiscard]] double real();
  [[nodiscard]] std::int64_t integer();  // a fault where it is none, or out of range
  [[nodiscard]] bool boolean();
  void skip();                                          // any
  void finish();                                        // a fault where more follows
  [[nodiscard]] std::string text(std::size_t at_most);  // any, a string unquoted, the rest as written

  [[nodiscard]] std::int64_t offset() const { return size_ - static_cast<std::int64_t>(rest_.size()); }
  [[noreturn]] void fail(const std::string& what) const { throw JsonFault(offset(), what); }

 private:
  [[nodiscard]] bool refill();         // false at the end
  [[nodiscard]] int next_character();  // not taken; -1 at the end; no white space
  void expect(char c, const char* what);
  [[nodiscard]] bool more(bool first, char closes);
  void key();
  [[nodiscard]] std::string_view quoted(std::string& scratch);
  void escape(std::string& scratch);
  [[nodiscard]] std::uint32_t hex();
  void skip_string();
  void skip_nested();
  void word(std::string_view);

  ByteSource* source_ = nullptr;
  std::string_view rest_;  // of the block
  std::int64_t size_ = 0;  // bytes up to the block's end
  std::int32_t depth_ = 0;
  std::string key_, value_;
};

}  // namespace echo::trace_io
