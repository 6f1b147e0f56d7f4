// Launch files that their authors published (published.txt): each is read as its framework's, every setting
// is known, and the point is what the settings say.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "launch_flags/import.hpp"
#include "sweep/space/config_id.hpp"
#include "tests/support/random_config.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/unit/launch_flags/launch_tables.hpp"

namespace echo::launch_flags {
namespace {

struct Published {
  std::string name, source, table;
  std::map<std::string, std::string> with, expected;
  Settings settings;
};

std::map<std::string, std::string> pairs_in(const std::string& text) {
  std::istringstream in(text);
  std::map<std::string, std::string> pairs;
  for (std::string word; in >> word;) pairs[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  return pairs;
}

std::vector<Published> published() {
  std::ifstream in(std::string(support::source_dir()) + "/tests/unit/launch_flags/published.txt");
  std::vector<Published> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    if (const std::size_t tab = line.find('\t'); tab != std::string::npos) {
      all.back().settings.push_back({line.substr(0, tab), line.substr(tab + 1), {}});
      continue;
    }
    const std::string key = line.substr(0, line.find(' ')), value = line.substr(line.find(' ') + 1);
    if (key == "launch") all.push_back({value, "", "", {}, {}, {}});
    if (key == "source") all.back().source = value;
    if (key == "table") all.back().table = value;
    if (key == "with") all.back().with = pairs_in(value);
    if (key == "expect") all.back().expected = pairs_in(value);
  }
  return all;
}

Imported import_one(const Published& one, const simulate::Catalog& catalog, Problems& problems) {
  ImportRequest request{.file = one.name, .given = {}, .vocab = ""};
  for (const auto& [name, value] : one.with) {
    if (name == "vocab")
      request.vocab = value;
    else
      request.given.push_back({*training::find_axis(name), value, ""});
  }
  return import_settings(one.settings, shipped_table(one.table), catalog, request, problems);
}

TEST(Published, LaunchFilesAreReadWhole) {
  const std::vector<Published> all = published();
  EXPECT_GE(all.size(), 50U);
  for (const Published& one : all) {
    simulate::Catalog catalog = support::presets().catalog;
    Problems problems;
    const Imported imported = import_one(one, catalog, problems);
    ASSERT_EQ(problems.errors(), 0) << one.name << ": " << problems.list().front().what;
    EXPECT_FALSE(one.source.empty()) << one.name;
    for (const LeftOut& left : imported.understood.unknown)
      ADD_FAILURE() << one.name << ": " << left.setting.key;
    for (const LeftOut& left : imported.understood.not_simulated) EXPECT_FALSE(left.why.empty());
    std::map<std::string, std::string> axes;
    for (const ChosenAxis& chosen : imported.axes)
      axes[std::string(sweep::info_of(chosen.axis).name)] = chosen.text;
    for (const auto& [axis, value] : one.expected) EXPECT_EQ(axes[axis], value) << one.name << ": " << axis;
    EXPECT_NE(sweep::config_id_of(config_of(imported, catalog), catalog), 0U) << one.name;
  }
}

}  // namespace
}  // namespace echo::launch_flags
