#include "config/catalog/preset_base.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>

#include "config/toml/did_you_mean.hpp"

namespace echo::config {
namespace {

// { value = ..., source = ..., error = ... } is one value.
bool is_value(const toml::node& node) {
  const toml::table* table = node.as_table();
  return table == nullptr || table->contains("value");
}

void fill_up(toml::table& own, const toml::table& base) {
  for (const Entry& entry : in_file_order(base)) {
    const auto key = entry.key->str();
    toml::node* const there = own.get(key);
    if (there == nullptr) {
      own.insert(key, *entry.node);
    } else if (!is_value(*there) && !is_value(*entry.node)) {
      fill_up(*there->as_table(), *entry.node->as_table());
    }
  }
}

class Filler {
 public:
  Filler(std::vector<RawPreset>& presets, const std::string& kind, Problems& problems)
      : presets_(presets), kind_(kind), problems_(problems), state_(presets.size(), State::fresh) {}

  void fill(std::size_t i) {
    if (state_[i] != State::fresh) return;
    state_[i] = State::open;
    toml::table& own = *presets_[i].table;
    bool is_whole = true;
    if (const toml::node* node = own.get("base")) {
      is_whole = take_from_base(i, *node);
      own.erase("base");
    }
    state_[i] = is_whole ? State::filled : State::broken;
  }
  [[nodiscard]] bool is_broken(std::size_t i) const { return state_[i] == State::broken; }

 private:
  enum class State : std::int8_t { fresh, open, filled, broken };

  // presets_.size() if there is none. After one with its own name only one of higher precedence counts.
  [[nodiscard]] std::size_t base_of(std::size_t i, const std::string& name) const {
    const auto find = [&](std::size_t from, std::size_t to) {
      while (from < to && (from == i || presets_[from].name != name)) ++from;
      return from;
    };
    const std::size_t behind = name == presets_[i].name ? find(i, presets_.size()) : presets_.size();
    if (behind < presets_.size()) return behind;
    return find(0, presets_.size());
  }

  // Whether that succeeded; a failure is reported here, or was reported for a preset in between.
  bool take_from_base(std::size_t i, const toml::node& node) {
    const std::string of = kind_ + " \"" + presets_[i].name + "\"";
    const auto* name = node.as_string();
    if (name == nullptr) {
      problems_.error(place_of(node), "base of " + of + " must be a string, not " + type_of(node),
                      "write a preset's name");
      return false;
    }
    const std::size_t base = base_of(i, name->get());
    if (base == presets_.size()) {
      std::vector<std::string> names;
      for (const RawPreset& one : presets_)
        if (one.name != presets_[i].name) names.push_back(one.name);
      problems_.error(place_of(node), "unknown base \"" + name->get() + "\" of " + of,
                      suggest(name->get(), names, "known"));
      return false;
    }
    fill(base);
    if (state_[base] == State::open) {
      problems_.error(place_of(node), "the bases of " + of + " form a cycle",
                      "remove the base of one of them");
    }
    if (state_[base] != State::filled) return false;
    constexpr std::array<std::string_view, 3> own_keys{"name", "source", "grade"};
    presets_[i].base = presets_[base].name == presets_[i].name ? presets_[base].base : presets_[base].name;
    toml::table inherited = *presets_[base].table;
    for (const std::string_view key : own_keys) inherited.erase(key);
    fill_up(*presets_[i].table, inherited);
    return true;
  }

  std::vector<RawPreset>& presets_;
  const std::string& kind_;
  Problems& problems_;
  std::vector<State> state_;
};

}  // namespace

void fill_from_bases(std::vector<RawPreset>& presets, const std::string& kind, Problems& problems) {
  Filler filler(presets, kind, problems);
  for (std::size_t i = 0; i < presets.size(); ++i) filler.fill(i);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < presets.size(); ++i)
    if (!filler.is_broken(i)) presets[kept++] = presets[i];
  presets.resize(kept);
}

}  // namespace echo::config
