// Reads one TOML table key by key and reports every wrong type, missing unit, bad value and unknown key with
// its place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Names of toml++'s types alone: all of its headers take two seconds to compile. Linked is its shared
// library; its header-only build aborts on malformed input.
#include <toml++/impl/forward_declarations.h>

#include "base/problems.hpp"
#include "config/toml/units.hpp"

namespace echo::config {

// The first character of a value; inside the quotes of a string, so that the caret is under the token.
[[nodiscard]] Place place_of(const toml::node& node);
[[nodiscard]] Place place_of(const toml::key& key);
// The position of the characters of a string; length 0 for one with escapes or several lines, which has no
// columns to point at.
[[nodiscard]] Place place_inside(const toml::node& string);
// "an integer", "a string", ...: the type of the node, as text.
[[nodiscard]] std::string type_of(const toml::node& node);

// Added by --set.
[[nodiscard]] bool is_override(const toml::key& key);

// Keys in the order of the file (toml++ sorts them by name); those that --set added come last.
struct Entry {
  const toml::key* key;
  const toml::node* node;
};
[[nodiscard]] std::vector<Entry> in_file_order(const toml::table& table);

// Parses a whole file, or reports its one syntax error, or what is past document_limits.hpp, and returns
// nothing.
[[nodiscard]] std::optional<toml::table> parse_toml(const std::string& text, const std::string& file,
                                                    Problems&);

// The tables of [[name]], in order; anything else is a problem, and the result is empty.
[[nodiscard]] std::vector<const toml::table*> tables_in(const toml::node& node, const std::string& name,
                                                        Problems&);

// Bounds of a number, both inclusive.
struct Range {
  double low, high;
};
inline constexpr Range positive{1e-300, 1e300};
inline constexpr Range not_negative{0.0, 1e300};
inline constexpr Range at_least_one{1.0, 2147483647.0};

// A key that a reader requested, for templates: its empty value ("", 0 or false) and its explanation.
struct AskedKey {
  std::string key, blank, hint;
  bool required = true;
};

// true and false, and the words "on" and "off" by which tables print them; nothing for any other value.
[[nodiscard]] std::optional<bool> switch_of(const toml::node&);

// A missing key is a problem only with `require`.
enum class Presence { require, optional };

// A value may be plain, or { value = ..., source = "...", grade = "vendor|measured|assumed" }.
// Each reading marks its key as known; finish() reports all other keys.
class TableReader {
 public:
  // `what` names the table in messages: `gpu "h100-sxm"`.
  TableReader(const toml::table& table, Place place, std::string what, Problems& problems)
      : table_(table), place_(std::move(place)), what_(std::move(what)), problems_(problems) {}

  // Each: `out` is set where the key holds a proper value, left alone otherwise; true when the key is there.
  bool text(std::string_view key, std::string& out, Presence presence = Presence::require);
  bool choice(std::string_view key, const std::vector<std::string>& names, int& out,
              Presence presence = Presence::require);
  bool boolean(std::string_view key, bool& out, Presence presence = Presence::require);
  bool integer(std::string_view key, Range range, std::int64_t& out, Presence presence = Presence::require);
  // A list of `fewest` to `most` of them.
  bool integers(std::string_view key, Range range, std::pair<std::size_t, std::size_t> fewest_most,
                std::vector<std::int32_t>& out, Presence presence = Presence::require);
  bool real(std::string_view key, Range range, double& out, Presence presence = Presence::require);
  bool quantity(std::string_view key, UnitKind kind, Range range, double& out,
                Presence presence = Presence::require);
  [[nodiscard]] const toml::table* table(std::string_view key, Presence presence = Presence::require);

  // The node itself (unwrapped from { value = ... }), marked as known; null when missing.
  [[nodiscard]] const toml::node* node(std::string_view key, Presence presence);
  // The grade in { value = ..., grade = ... }; empty if absent.
  [[nodiscard]] std::string_view grade(std::string_view key) const;
  void ignore(std::string_view key) { known_.emplace_back(key); }
  // From now on, every requested key is recorded in `asked`.
  void note_keys(std::vector<AskedKey>& asked) { asked_ = &asked; }
  void finish();
  void wrong_type(const toml::node& node, std::string_view key, std::string_view wanted);
  [[nodiscard]] Problems& problems() { return problems_; }
  [[nodiscard]] const Place& place() const { return place_; }

 private:
  bool in_range(const toml::node& node, std::string_view key, double value, Range range);
  void note(std::string_view key, std::string blank, std::string hint, Presence presence) {
    if (asked_ != nullptr)
      asked_->push_back({std::string(key), std::move(blank), std::move(hint), presence == Presence::require});
  }

  const toml::table& table_;
  Place place_;
  std::string what_;
  Problems& problems_;
  std::vector<std::string> known_;
  std::vector<AskedKey>* asked_ = nullptr;
};

}  // namespace echo::config
