// The JSON library gives no places. Idea: its event reader takes characters from an iterator that counts
// them; when a key is announced, exactly the text up to its closing quote has been taken. So one pass over
// the events finds the places, bounds the depth and sees keys given twice; the object itself is parsed after
// it.
#include "hugging_face/config_json.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/place_in_text.hpp"
#include "base/printable.hpp"

namespace echo::hugging_face {

namespace {

using Json = nlohmann::json;

// Walks over a text and keeps the number of characters taken where all copies of the iterator see it.
class Counting {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  Counting(const char* at, std::size_t& taken) : at_(at), taken_(&taken) {}
  reference operator*() const { return *at_; }
  Counting& operator++() { return ++at_, ++*taken_, *this; }
  Counting operator++(int) {
    Counting before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const Counting& a, const Counting& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  std::size_t* taken_;
};

class KeyReader : public Json::json_sax_t {
 public:
  KeyReader(const std::string& text, const std::string& file, const std::size_t& taken, Problems& problems)
      : text_(text), file_(file), taken_(taken), problems_(problems) {}
  std::map<std::string, Place> places;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    Level& level = levels_.back();
    const bool again = !level.keys.insert(name).second;
    level.key = level.path.empty() ? name : level.path + "." + name;
    const std::size_t start = text_.rfind(name, taken_);  // inside the quotes, where it has no escapes
    Place place = place_in_text(text_, start == std::string::npos ? taken_ : start, file_);
    place.length = static_cast<std::int32_t>(std::clamp<std::size_t>(name.size(), 1, 200));
    if (again) problems_.error(place, "\"" + printable(name) + "\" is given twice", "remove one of them");
    if (!level.in_list) places.emplace(level.key, std::move(place));
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) override {
    const bool big = dynamic_cast<const Json::out_of_range*>(&error) != nullptr;  // 1e999
    problems_.error(place_in_text(text_, position == 0 ? 0 : position - 1, file_),
                    big ? "a number is out of range" : "this is not JSON",
                    "give the config.json of a model as its authors published it");
    return false;
  }

 private:
  struct Level {
    std::string path;  // of the object
    std::string key;   // the path of the key read last
    bool in_list = false;
    std::set<std::string> keys;
  };
  bool open(bool is_list) {
    if (levels_.size() >= deepest_config) {
      problems_.error(place_in_text(text_, taken_, file_), "objects and lists are nested too deeply",
                      "a config.json has a few levels");
      return false;
    }
    Level level;
    if (!levels_.empty()) level.path = levels_.back().key, level.in_list = levels_.back().in_list || is_list;
    levels_.push_back(std::move(level));
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }

  const std::string& text_;
  const std::string& file_;
  const std::size_t& taken_;
  Problems& problems_;
  std::vector<Level> levels_;
};

}  // namespace

std::optional<ConfigJson> parse_config_json(const std::string& text, const std::string& file,
                                            Problems& problems) {
  if (text.size() > most_config_bytes) {
    problems.error({file}, "the file is larger than 4 MiB", "a config.json has a few KiB: give that file");
    return std::nullopt;
  }
  std::size_t taken = 0;
  KeyReader keys(text, file, taken, problems);
  if (!Json::sax_parse(Counting(text.data(), taken), Counting(text.data() + text.size(), taken), &keys))
    return std::nullopt;
  ConfigJson read{Json::parse(text), std::move(keys.places)};
  if (read.object.is_object()) return read;
  problems.error({file, 1, 1}, "the file holds " + std::string(read.object.type_name()) + ", not an object",
                 "give the config.json of a model as its authors published it");
  return std::nullopt;
}

}  // namespace echo::hugging_face
