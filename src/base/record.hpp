// Values one after the other in a string of bytes, as they lie in memory, and a reader that never looks past
// their end: for records that programs of one build exchange, under a checksum or not.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace echo {

template <class T>
requires std::is_trivially_copyable_v<T>
void put_value(const T& value, std::string& out) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}
inline void put_text(std::string_view text, std::string& out) {
  put_value(static_cast<std::uint32_t>(text.size()), out);
  out += text;
}
template <class T>
void put_values(const std::vector<T>& values, std::string& out) {
  put_value(static_cast<std::uint32_t>(values.size()), out);
  for (const T& value : values) put_value(value, out);
}

// Past the end it yields zeros and remembers the error.
class RecordReader {
 public:
  explicit RecordReader(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  requires std::is_trivially_copyable_v<T> T value() {
    T result{};
    const auto bytes = take(sizeof result);
    if (bytes.size() == sizeof result) std::memcpy(&result, bytes.data(), sizeof result);
    return result;
  }
  std::string text() { return std::string(take(value<std::uint32_t>())); }
  template <class T>
  std::vector<T> values() {
    const auto count = value<std::uint32_t>();
    std::vector<T> all;
    if (std::uint64_t{count} * sizeof(T) > rest_.size()) is_whole_ = false;
    for (std::uint32_t i = 0; i < count && is_whole_; ++i) all.push_back(value<T>());
    return all;
  }
  std::string_view take(std::size_t count) {
    if (count > rest_.size()) {
      is_whole_ = false;
      return {};
    }
    const auto bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  void spoil() { is_whole_ = false; }  // what was read makes no sense
  [[nodiscard]] bool is_whole() const { return is_whole_; }
  [[nodiscard]] bool is_over() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool is_whole_ = true;
};

}  // namespace echo
