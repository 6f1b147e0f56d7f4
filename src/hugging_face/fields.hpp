// Reads a config.json field by field: every wrong type, missing field and bad number is a problem with its
// place, and every field that was asked for is known.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/problems.hpp"

namespace echo::hugging_face {

struct ConfigJson;

struct Bounds {
  std::int32_t low = 1, high = 2147483647;
};

class Fields {
 public:
  // `inside`: the object's path with a dot behind it, or "" for the whole file.
  Fields(const nlohmann::json& object, std::string inside, const ConfigJson& file, std::string path,
         Problems& problems)
      : object_(object),
        inside_(std::move(inside)),
        file_(file),
        path_(std::move(path)),
        problems_(problems) {}

  // A field that is absent or null is a problem for count(), and `otherwise` for the others. After a problem
  // the value is the lowest allowed one, or `otherwise`.
  [[nodiscard]] std::int32_t count(std::string_view key, Bounds bounds = {});
  [[nodiscard]] std::int32_t count_or(std::string_view key, std::int32_t otherwise, Bounds bounds = {});
  [[nodiscard]] bool flag(std::string_view key, bool otherwise);
  [[nodiscard]] std::string word(std::string_view key, std::string_view otherwise);
  // A text inside an object; "" where either is absent.
  [[nodiscard]] std::string word_in(std::string_view key, std::string_view inner);
  // Texts of a list; numbers 0 or 1 are read as the words "0" and "1". Empty where absent.
  [[nodiscard]] std::vector<std::string> words(std::string_view key);
  [[nodiscard]] bool has(std::string_view key);  // neither absent nor null

  // Has no consequence in this architecture.
  void skip(std::initializer_list<std::string_view> keys);
  // The model has something that the simulator lacks: a problem at the field.
  void refuse(std::string_view key, const std::string& what, const std::string& remedy);
  void refuse(std::string_view key, const std::string& what) {
    refuse(key, what, "this shape cannot be simulated yet");
  }
  // Something of the model that the preset does not say; becomes a comment of the preset.
  void note(std::string text) { notes_.push_back(std::move(text)); }

  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] const std::set<std::string, std::less<>>& asked() const { return asked_; }
  [[nodiscard]] std::vector<std::string> unasked() const;  // fields of the object, in order of their names
  [[nodiscard]] Place place(std::string_view key) const;   // of the field, or of the file where it is absent

 private:
  const nlohmann::json* find(std::string_view key);  // null where absent or null
  void wrong(std::string_view key, const std::string& wanted);

  const nlohmann::json& object_;
  std::string inside_;
  const ConfigJson& file_;
  std::string path_;
  Problems& problems_;
  std::set<std::string, std::less<>> asked_;
  std::vector<std::string> notes_;
};

}  // namespace echo::hugging_face
