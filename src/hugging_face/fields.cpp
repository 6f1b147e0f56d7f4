#include "hugging_face/fields.hpp"

#include <algorithm>
#include <utility>

#include "hugging_face/config_json.hpp"

namespace echo::hugging_face {

namespace {

std::string numbers(Bounds bounds) {
  if (bounds.high == Bounds{}.high) return "a whole number from " + std::to_string(bounds.low);
  return "a whole number from " + std::to_string(bounds.low) + " to " + std::to_string(bounds.high);
}

bool fits(const nlohmann::json& value, Bounds bounds) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return number <= static_cast<std::uint64_t>(bounds.high) && std::cmp_greater_equal(number, bounds.low);
  }
  if (!value.is_number_integer()) return false;
  const auto number = value.get<std::int64_t>();
  return number >= bounds.low && number <= bounds.high;
}

}  // namespace

const nlohmann::json* Fields::find(std::string_view key) {
  asked_.emplace(key);
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

Place Fields::place(std::string_view key) const {
  const auto found = file_.places.find(inside_ + std::string(key));
  return found == file_.places.end() ? Place{path_} : found->second;
}

void Fields::wrong(std::string_view key, const std::string& wanted) {
  problems_.error(place(key), inside_ + std::string(key) + " is not " + wanted,
                  "compare with the config.json that the model's authors published");
}

std::int32_t Fields::count(std::string_view key, Bounds bounds) {
  if (find(key) != nullptr) return count_or(key, bounds.low, bounds);
  problems_.error({path_}, inside_ + std::string(key) + " is missing", "add it: " + numbers(bounds));
  return bounds.low;
}

std::int32_t Fields::count_or(std::string_view key, std::int32_t otherwise, Bounds bounds) {
  const nlohmann::json* const value = find(key);
  if (value == nullptr) return otherwise;
  if (fits(*value, bounds)) return value->get<std::int32_t>();
  wrong(key, numbers(bounds));
  return otherwise;
}

bool Fields::flag(std::string_view key, bool otherwise) {
  const nlohmann::json* const value = find(key);
  if (value == nullptr) return otherwise;
  if (value->is_boolean()) return value->get<bool>();
  wrong(key, "true or false");
  return otherwise;
}

std::string Fields::word(std::string_view key, std::string_view otherwise) {
  const nlohmann::json* const value = find(key);
  if (value == nullptr) return std::string(otherwise);
  if (value->is_string()) return value->get<std::string>();
  wrong(key, "a text");
  return std::string(otherwise);
}

std::string Fields::word_in(std::string_view key, std::string_view inner) {
  const nlohmann::json* const value = find(key);
  if (value == nullptr) return "";
  if (!value->is_object()) return wrong(key, "an object"), "";
  const auto found = value->find(inner);
  return found == value->end() || !found->is_string() ? "" : found->get<std::string>();
}

std::vector<std::string> Fields::words(std::string_view key) {
  const nlohmann::json* const value = find(key);
  std::vector<std::string> words;
  if (value == nullptr) return words;
  const auto is_word = [](const nlohmann::json& one) { return one.is_string() || fits(one, {0, 1000000}); };
  if (!value->is_array() || !std::all_of(value->begin(), value->end(), is_word)) {
    wrong(key, "a list of texts or whole numbers");
    return words;
  }
  for (const nlohmann::json& one : *value)
    words.push_back(one.is_string() ? one.get<std::string>() : std::to_string(one.get<std::int64_t>()));
  return words;
}

bool Fields::has(std::string_view key) { return find(key) != nullptr; }

void Fields::skip(std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) asked_.emplace(key);
}

void Fields::refuse(std::string_view key, const std::string& what, const std::string& remedy) {
  problems_.error(place(key), what, remedy);
}

std::vector<std::string> Fields::unasked() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object_.items())
    if (!asked_.contains(key) && !value.is_null()) keys.push_back(key);
  return keys;
}

}  // namespace echo::hugging_face
