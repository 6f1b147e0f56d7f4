#include "config/catalog/fitted/practice_file.hpp"

#include <toml++/toml.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/at.hpp"
#include "config/toml/toml_text.hpp"

namespace echo::config {

namespace {

constexpr simulate::Choice first_choice = simulate::Choice::model;

// The strings of a list, each one of `names` unless that is empty.
std::vector<std::string> words_of(TableReader& reader, std::string_view key,
                                  const std::vector<std::string_view>& names) {
  std::vector<std::string> out;
  const toml::node* const node = reader.node(key, Presence::require);
  if (node == nullptr) return out;
  const auto* const list = node->as_array();
  if (list == nullptr) {
    reader.wrong_type(*node, key, "a list of strings");
    return out;
  }
  for (const toml::node& one : *list) {
    const auto word = one.value<std::string>();
    if (!word || (!names.empty() && std::ranges::find(names, *word) == names.end()))
      reader.problems().error(
          place_of(one), fmt::format("{} has no such value", key),
          names.empty() ? "write a string" : fmt::format("one of: {}", fmt::join(names, ", ")));
    else
      out.push_back(*word);
  }
  return out;
}

simulate::PublishedKind read_kind(TableReader& reader) {
  simulate::PublishedKind kind;
  reader.text("gpu", kind.gpu);
  for (std::size_t i = at(first_choice); i < kind.seen.size(); ++i) {
    const auto choice = static_cast<simulate::Choice>(i);
    const auto names = simulate::value_names(choice);
    const auto words = words_of(reader, simulate::choice_names[i], names);
    if (choice == simulate::Choice::framework) kind.frameworks = words;
    for (const std::string& word : words)
      if (choice != simulate::Choice::framework)
        kind.seen[i] |= 1U << static_cast<std::uint32_t>(std::ranges::find(names, word) - names.begin());
  }
  std::ranges::sort(kind.frameworks);
  return kind;
}

simulate::PublishedBest read_best(TableReader& reader) {
  simulate::PublishedBest best;
  reader.text("gpu", best.gpu);
  reader.real("operand_bytes", {0.5, 4.0}, best.operand_bytes);
  reader.boolean("mixture", best.has_experts);
  reader.real("mfu", {0.0, 1.0}, best.mfu);
  reader.text("publication", best.publication);
  return best;
}

template <class Read, class Out>
void read_list(TableReader& file, const char* name, Read read, std::vector<Out>& out) {
  const toml::node* const node = file.node(name, Presence::optional);
  if (node == nullptr) return;
  for (const toml::table* one : tables_in(*node, name, file.problems())) {
    TableReader reader(*one, place_of(*one), std::string("[[") + name + "]]", file.problems());
    out.push_back(read(reader));
    reader.finish();
  }
}

}  // namespace

PracticeFile read_practice(TableReader& file) {
  PracticeFile read;
  std::string text;
  file.text("name", read.name);
  for (const char* about : {"source", "date"}) file.text(about, text);
  file.ignore("grade");
  read_list(file, "runs", read_kind, read.practice.kinds);
  read_list(file, "best", read_best, read.practice.best);
  std::ranges::sort(read.practice.kinds, {}, &simulate::PublishedKind::gpu);
  file.finish();
  return read;
}

std::string practice_file_text(const simulate::Practice& practice, const std::string& source,
                               const std::string& date) {
  std::string out = fmt::format(
      "# Choices that published training runs have exercised, by GPU kind, and the highest MFU that they "
      "reached\n"
      "# (src/simulate/report/practice.hpp). Written by `echo-calibrate practice`.\n"
      "name   = \"steps\"\nsource = {}\ndate   = {}\n",
      quoted(source), quoted(date));
  for (const simulate::PublishedKind& kind : practice.kinds) {
    out += fmt::format("\n[[runs]]\ngpu = {}\n", quoted(kind.gpu));
    for (std::size_t i = at(first_choice); i < kind.seen.size(); ++i) {
      const auto choice = static_cast<simulate::Choice>(i);
      std::vector<std::string> words;
      const auto names = simulate::value_names(choice);
      for (std::size_t v = 0; v < names.size(); ++v)
        if ((kind.seen[i] >> v & 1U) != 0) words.push_back(quoted(std::string(names[v])));
      if (choice == simulate::Choice::framework)
        for (const std::string& name : kind.frameworks) words.push_back(quoted(name));
      out += fmt::format("{} = [{}]\n", simulate::choice_names[i], fmt::join(words, ", "));
    }
  }
  for (const simulate::PublishedBest& best : practice.best)
    out += fmt::format(
        "\n[[best]]\ngpu = {}\noperand_bytes = {}\nmixture = {}\nmfu = {:.3f}\npublication = {}\n",
        quoted(best.gpu), best.operand_bytes, best.has_experts, best.mfu, quoted(best.publication));
  return out;
}

}  // namespace echo::config
