#include "config/preset_base.hpp"

#include <algorithm>
#include <array>

#include "config/did_you_mean.hpp"

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
    RawPreset& own = presets_[i];
    if (const toml::node* node = own.table->get("base")) {
      const Place place = place_of(*node);
      if (const auto* name = node->as_string()) {
        take_from(base_of(i, name->get()), i, name->get(), place);
      } else {
        problems_.error(place, "base must be a string, not " + type_of(*node), "write a preset's name");
      }
      own.table->erase("base");
    }
    state_[i] = State::filled;
  }

 private:
  enum class State : std::int8_t { fresh, open, filled };

  // presets_.size() where there is none.
  [[nodiscard]] std::size_t base_of(std::size_t i, const std::string& name) const {
    std::size_t at = name == presets_[i].name ? i + 1 : 0;
    while (at < presets_.size() && presets_[at].name != name) ++at;
    return at;
  }

  void take_from(std::size_t base, std::size_t i, const std::string& name, const Place& place) {
    if (base == presets_.size()) {
      std::vector<std::string> names;
      for (const RawPreset& one : presets_)
        if (one.name != presets_[i].name) names.push_back(one.name);
      problems_.error(place, "unknown base \"" + name + "\" of " + kind_ + " \"" + presets_[i].name + "\"",
                      suggest(name, names, "known"));
      return;
    }
    fill(base);
    if (state_[base] == State::open) {
      problems_.error(place, "the bases of " + kind_ + " \"" + presets_[i].name + "\" go round in a circle",
                      "let one of them stand by itself");
      return;
    }
    constexpr std::array<std::string_view, 3> own_keys{"name", "source", "grade"};
    toml::table inherited = *presets_[base].table;
    for (const std::string_view key : own_keys) inherited.erase(key);
    fill_up(*presets_[i].table, inherited);
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
}

}  // namespace echo::config
