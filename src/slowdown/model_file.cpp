// Boost's archives trust the lengths they read, and allocate memory for them before they notice that the
// bytes have ended. So only single numbers are read through them here. A list is a length and its elements,
// read one by one after the length was compared with the bytes left: each element takes at least one.
#include "slowdown/model_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <boost/archive/archive_exception.hpp>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <cstring>
#include <sstream>
#include <streambuf>
#include <type_traits>

#include "base/contract.hpp"
#include "base/error.hpp"
#include "base/memory_limit.hpp"
#include "slowdown/model_fields.hpp"

namespace echo::slowdown {

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr auto bare = boost::archive::no_header | boost::archive::no_codecvt;

struct Refused {
  std::string what;
};

class Writer {
 public:
  explicit Writer(std::ostream& out) : archive_(out, bare) {}
  template <class... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }

 private:
  void put(bool value) { put(static_cast<std::int8_t>(value)); }
  template <class Value>
  void put(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>)
      archive_ << value;
    else if constexpr (std::is_enum_v<Value>)
      put(static_cast<std::underlying_type_t<Value>>(value));
    else
      fields(*this, const_cast<Value&>(value));  // a writer only reads them
  }
  void put(const std::string& text) {
    put(std::uint64_t{text.size()});
    archive_.save_binary(text.data(), text.size());
  }
  template <class Value>
  void put(const std::vector<Value>& list) {
    put(std::uint64_t{list.size()});
    for (const Value& value : list) put(value);
  }
  template <class Value>
  void put(const std::optional<Value>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  void put(const Regressor& regressor) {
    put(static_cast<std::int8_t>(regressor.index()));
    std::visit([this](const auto& kind) { put(kind); }, regressor);
  }

  boost::archive::binary_oarchive archive_;
};

// A payload in place.
class Bytes : public std::streambuf {
 public:
  explicit Bytes(std::string_view bytes) {
    char* first = const_cast<char*>(bytes.data());  // only ever read
    setg(first, first, first + bytes.size());
  }
  [[nodiscard]] std::uint64_t left() const { return static_cast<std::uint64_t>(egptr() - gptr()); }
};

class Reader {
 public:
  explicit Reader(Bytes& bytes) : bytes_(bytes), archive_(bytes, bare) {}
  template <class... Values>
  void operator()(Values&... values) {
    (take(values), ...);
  }
  [[nodiscard]] bool at_end() const { return bytes_.left() == 0; }

 private:
  std::uint64_t taken_length() {
    std::uint64_t length = 0;
    take(length);
    if (length > bytes_.left()) throw Refused{"it contains a length past its end"};
    return length;
  }
  void take(bool& value) {
    std::int8_t stored = 0;
    take(stored);
    if (stored != 0 && stored != 1) throw Refused{"it contains a flag that is neither 0 nor 1"};
    value = stored == 1;
  }
  template <class Value>
  void take(Value& value) {
    if constexpr (std::is_arithmetic_v<Value>) {
      archive_ >> value;
    } else if constexpr (std::is_enum_v<Value>) {
      std::underlying_type_t<Value> stored{};
      take(stored);
      value = static_cast<Value>(stored);  // is_sound() says whether there is such a one
    } else {
      fields(*this, value);
    }
  }
  void take(std::string& text) {
    text.resize(static_cast<std::size_t>(taken_length()));
    archive_.load_binary(text.data(), text.size());
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (std::any_of(text.begin(), text.end(), is_control))
      throw Refused{"it contains a name that is not text"};
  }
  template <class Value>
  void take(std::vector<Value>& list) {
    const std::uint64_t length = taken_length();
    list.clear();
    for (std::uint64_t i = 0; i < length; ++i) take(list.emplace_back());
  }
  template <class Value>
  void take(std::optional<Value>& value) {
    bool is_there = false;
    take(is_there);
    if (is_there) take(value.emplace());
  }
  void take(Regressor& regressor) {
    std::int8_t place = -1;
    take(place);
    if (place == 0)
      take(regressor.emplace<0>());
    else if (place == 1)
      take(regressor.emplace<1>());
    else
      throw Refused{"it contains an unknown kind of function"};
  }

  Bytes& bytes_;
  boost::archive::binary_iarchive archive_;
};

std::vector<std::string> names_of(FeatureSet set) {
  const auto names = feature_names(set);
  return {names.begin(), names.end()};
}

std::uint32_t crc_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number number{};
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

std::string_view payload_of(std::string_view bytes) {
  if (bytes.size() < model_frame_bytes || bytes.substr(0, 8) != model_file_magic)
    throw Refused{"it is not a slowdown model"};
  const auto version = number_at<std::uint32_t>(bytes, 8);
  if (version != model_file_version)
    throw Refused{"it has format " + std::to_string(version) + ", this program reads " +
                  std::to_string(model_file_version)};
  const std::string_view payload = bytes.substr(model_frame_bytes);
  if (number_at<std::uint64_t>(bytes, 16) != payload.size())
    throw Refused{"it is truncated, or has extra bytes after its end"};
  if (number_at<std::uint32_t>(bytes, 12) != crc_of(payload))
    throw Refused{"it is damaged: its checksum does not match"};
  return payload;
}

LearnedModel model_of(std::string_view payload) {
  Bytes bytes(payload);
  Reader read(bytes);
  LearnedModel model;
  std::vector<std::string> names;
  read(names, model);
  if (!read.at_end()) throw Refused{"it has extra bytes after the model"};
  if (!is_sound(model)) throw Refused{"its contents are not a valid model"};
  if (names != names_of(model.features)) throw Refused{"it was trained on different features"};
  return model;
}

}  // namespace

std::string framed(std::string_view payload) {
  std::string bytes(model_file_magic);
  const auto append = [&bytes](const auto& number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  append(model_file_version);
  append(crc_of(payload));
  append(std::uint64_t{payload.size()});
  return bytes.append(payload);
}

std::string model_to_bytes(const LearnedModel& model) {
  ECHO_EXPECT(is_sound(model));
  std::ostringstream out;
  Writer write(out);
  write(names_of(model.features), model);
  return framed(out.str());
}

LearnedModel model_from_bytes(std::string_view bytes, const std::string& name) {
  const auto refuse = [&name](const std::string& why) -> UserError {
    return UserError({Problem{{name},
                              "cannot use this slowdown model: " + why,
                              "train it again with this program: echo-sweep slowdown train"}});
  };
  try {
    return within_memory(name, [&] { return model_of(payload_of(bytes)); });
  } catch (const Refused& refused) {
    throw refuse(refused.what);
  } catch (const boost::archive::archive_exception&) {
    throw refuse("it ends in the middle of a number");
  }
}

}  // namespace echo::slowdown
