#include "trace_io/io/json_pull.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace echo::trace_io {

namespace {

constexpr std::int32_t deepest = 200;
constexpr std::size_t longest_string = std::size_t{1} << 26;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

bool ends_number(char c) { return c == ',' || c == ']' || c == '}' || c == ':' || is_space(c); }

// Where the string's end or an escape stands; npos: not in this block.
std::size_t end_of_plain(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '"' || text[i] == '\\') return i;
  return text.npos;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6), put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F)), put(0x80 | (code >> 6 & 0x3F)),
        put(0x80 | (code & 0x3F));
  }
}

}  // namespace

void refuse(const std::string& file, const JsonFault& fault, std::string remedy) {
  const std::string what = "byte " + std::to_string(fault.offset()) + ": " + fault.what();
  throw UserError({Problem{{file, 0, 0, 1}, what, std::move(remedy)}});
}

bool JsonPull::refill() {
  if (source_ == nullptr) return false;
  rest_ = source_->block();
  size_ += static_cast<std::int64_t>(rest_.size());
  return !rest_.empty();
}

int JsonPull::next_character() {
  while (true) {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    if (!rest_.empty()) return static_cast<unsigned char>(rest_.front());
    if (!refill()) return -1;
  }
}

JsonPull::Kind JsonPull::peek() {
  switch (next_character()) {
    case -1:
      return Kind::end;
    case '{':
      return Kind::object;
    case '[':
      return Kind::array;
    case '"':
      return Kind::string;
    case 't':
    case 'f':
      return Kind::boolean;
    case 'n':
      return Kind::null;
    default:
      return Kind::number;
  }
}

void JsonPull::expect(char c, const char* what) {
  const int next = next_character();
  if (next == -1) fail("the text ends; expected " + std::string(what));
  if (next != c) fail("expected " + std::string(what));
  rest_.remove_prefix(1);
  if (++depth_ > deepest) fail("values are nested more than 200 levels deep");
}

bool JsonPull::more(bool first, char closes) {
  const int next = next_character();
  if (next == -1) fail("the text ends within a value");
  if (next == closes) {
    rest_.remove_prefix(1);
    return false;
  }
  if (!first) {
    if (next != ',') fail("expected a comma or the end");
    rest_.remove_prefix(1);
    // A comma before the end: some tools leave one.
    if (next_character() == closes) {
      rest_.remove_prefix(1);
      return false;
    }
  }
  return true;
}

void JsonPull::key() {
  if (next_character() != '"') fail("a name in quotes should stand here");
  const std::string_view name = quoted(key_);
  if (name.data() != key_.data()) key_.assign(name);
  if (next_character() != ':') fail("expected a colon");
  rest_.remove_prefix(1);
}

std::string_view JsonPull::quoted(std::string& scratch) {
  rest_.remove_prefix(1);
  const std::size_t end = end_of_plain(rest_);
  if (end != rest_.npos && rest_[end] == '"') {
    const std::string_view out = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return out;
  }
  scratch.clear();
  while (true) {
    if (rest_.empty() && !refill()) fail("the text ends within a string");
    const std::size_t stop = end_of_plain(rest_);
    scratch += rest_.substr(0, stop);
    if (scratch.size() > longest_string) fail("a string is longer than 64 MiB");
    rest_.remove_prefix(std::min(stop, rest_.size()));
    if (stop == rest_.npos) continue;
    const bool is_end = rest_.front() == '"';
    rest_.remove_prefix(1);
    if (is_end) return scratch;
    escape(scratch);
  }
}

void JsonPull::escape(std::string& scratch) {
  if (rest_.empty() && !refill()) fail("the text ends within a string");
  const char c = rest_.front();
  rest_.remove_prefix(1);
  constexpr std::string_view letters = "bfnrt", meant = "\b\f\n\r\t";
  if (const std::size_t place = letters.find(c); place != letters.npos) {
    scratch += meant[place];
  } else if (c == 'u') {
    std::uint32_t code = hex();
    if (code >= 0xD800 && code < 0xDC00) {  // the first half of a pair
      if ((rest_.empty() && !refill()) || rest_.front() != '\\') return append_utf8(scratch, 0xFFFD);
      rest_.remove_prefix(1);
      if ((rest_.empty() && !refill()) || rest_.front() != 'u') fail("incomplete surrogate pair");
      rest_.remove_prefix(1);
      const std::uint32_t low = hex();
      code = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : 0xFFFD;
    }
    append_utf8(scratch, code >= 0xD800 && code < 0xE000 ? 0xFFFD : code);
  } else {
    scratch += c;
  }
}

std::uint32_t JsonPull::hex() {
  std::uint32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    if (rest_.empty() && !refill()) fail("the text ends within a string");
    const char c = rest_.front();
    constexpr std::string_view digits = "0123456789abcdef0123456789ABCDEF";
    const std::size_t place = digits.find(c);
    if (place == digits.npos) fail("expected four hexadecimal digits");
    code = code << 4 | static_cast<std::uint32_t>(place & 15);
    rest_.remove_prefix(1);
  }
  return code;
}

std::string_view JsonPull::string() {
  if (next_character() != '"') fail("a string should stand here");
  return quoted(value_);
}

std::string_view JsonPull::number() {
  const int first = next_character();
  if (first == -1) fail("the text ends; expected a number");
  std::size_t end = 0;
  while (end < rest_.size() && !ends_number(rest_[end])) ++end;
  std::string_view out = rest_.substr(0, end);
  if (end == rest_.size()) {  // it may go on in the next block
    value_.assign(out);
    rest_ = {};
    while (value_.size() < 512 && (!rest_.empty() || refill()) && !ends_number(rest_.front())) {
      value_ += rest_.front();
      rest_.remove_prefix(1);
    }
    out = value_;
  } else {
    rest_.remove_prefix(end);
  }
  const bool is_word = out == "NaN" || out == "Infinity" || out == "-Infinity" || out == "nan" ||
                       out == "inf" || out == "-inf" || out == "-nan";
  if (!is_word && (out.empty() || (out.front() != '-' && (out.front() < '0' || out.front() > '9'))))
    fail("a number should stand here");
  return out;
}

double JsonPull::real() {
  std::string_view text = number();
  double out = 0.0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (code == std::errc::result_out_of_range) return text.find("e-") == text.npos ? HUGE_VAL : 0.0;
  if (code != std::errc{} || end != text.data() + text.size()) fail("a number should stand here");
  return out;
}

std::int64_t JsonPull::integer() {
  const std::string_view text = number();
  std::int64_t out = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (code == std::errc{} && end == text.data() + text.size()) return out;
  double real = 0.0;  // 1e6, 7.0
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), real);
  constexpr double most = 9.2e18;
  if (fault != std::errc{} || stop != text.data() + text.size() || !(std::fabs(real) < most) ||
      real != std::floor(real))
    fail("expected a whole number");
  return static_cast<std::int64_t>(real);
}

void JsonPull::word(std::string_view expected) {
  for (const char c : expected) {
    if ((rest_.empty() && !refill()) || rest_.front() != c)
      fail("expected \"" + std::string(expected) + "\"");
    rest_.remove_prefix(1);
  }
}

bool JsonPull::boolean() {
  const int next = next_character();
  if (next != 't' && next != 'f') fail("expected true or false");
  word(next == 't' ? "true" : "false");
  return next == 't';
}

void JsonPull::skip_string() {
  rest_.remove_prefix(1);
  while (true) {
    if (rest_.empty() && !refill()) fail("the text ends within a string");
    const std::size_t stop = end_of_plain(rest_);
    rest_.remove_prefix(std::min(stop == rest_.npos ? stop : stop + 1, rest_.size()));
    if (stop == rest_.npos) continue;
    if (*(rest_.data() - 1) == '"') return;
    if (rest_.empty() && !refill()) fail("the text ends within a string");
    rest_.remove_prefix(1);  // what is escaped
  }
}

// The contents are not checked, except for their brackets.
void JsonPull::skip_nested() {
  std::int64_t open = 0;
  do {
    if (rest_.empty() && !refill()) fail("the text ends within a value");
    const char c = rest_.front();
    if (c == '"') {
      skip_string();
      continue;
    }
    rest_.remove_prefix(1);
    if (c == '{' || c == '[') ++open;
    if (c == '}' || c == ']') --open;
  } while (open > 0);
}

void JsonPull::skip() {
  switch (peek()) {
    case Kind::object:
    case Kind::array:
      return skip_nested();
    case Kind::string:
      return skip_string();
    case Kind::boolean:
      return static_cast<void>(boolean());
    case Kind::null:
      if (rest_.size() > 1 && rest_[1] == 'a') return static_cast<void>(number());  // nan
      return word("null");
    case Kind::number:
      return static_cast<void>(number());
    case Kind::end:
      fail("the text ends; expected a value");
  }
}

std::string JsonPull::text(std::size_t at_most) {
  switch (peek()) {
    case Kind::string:
      return std::string(string().substr(0, at_most));
    case Kind::number:
      return std::string(number());
    case Kind::boolean:
      return boolean() ? "true" : "false";
    case Kind::array: {
      std::string out = "[";
      array([&] {
        const std::string one = text(at_most);
        if (out.size() < at_most) out += (out.size() > 1 ? ", " : "") + one;
      });
      return out + "]";
    }
    default:
      skip();
      return {};
  }
}

void JsonPull::finish() {
  if (next_character() != -1) fail("unexpected text after the end");
}

}  // namespace echo::trace_io
