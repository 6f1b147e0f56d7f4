#include "config/catalog/fitted/practice_file.hpp"

#include <toml++/toml.h>

#include <gtest/gtest.h>

#include "base/at.hpp"
#include "config/catalog/catalog_files.hpp"

namespace echo::config {
namespace {

PracticeFile read(const std::string& text, Problems& problems) {
  const auto table = parse_toml(text, "steps.toml", problems);
  TableReader reader(table.value(), {"steps.toml", 1, 1, 1}, "published practice \"steps\"", problems);
  return read_practice(reader);
}

TEST(PracticeFile, ReadsBackWhatIsWritten) {
  simulate::Practice practice;
  practice.kinds = {{"a", {"one", "two"}, {}}, {"b", {"one"}, {}}};
  for (std::size_t i = at(simulate::Choice::model); i < practice.kinds[0].seen.size(); ++i)
    if (i != at(simulate::Choice::framework)) practice.kinds[0].seen[i] = i % 2 == 0 ? 3 : 2;
  practice.best = {{"a", 2.0, false, 0.5, "somebody"}, {"b", 0.5, true, 0.25, "others"}};
  Problems problems;
  EXPECT_EQ(read(practice_file_text(practice, "a table", "2026-01-01"), problems).practice, practice);
  problems.throw_if_any();
}

TEST(PracticeFile, RefusesValuesThatAChoiceDoesNotHave) {
  simulate::Practice practice;
  practice.kinds = {{"a", {"one"}, {}}};
  std::string text = practice_file_text(practice, "a table", "2026-01-01");
  text.replace(text.find("vpp = []"), 8, "vpp = [\"3\", \"many\"]");
  Problems problems;
  static_cast<void>(read(text, problems));
  EXPECT_EQ(problems.errors(), 1);
}

TEST(PracticeFile, TheCatalogKnowsThatNoA100RunOverlappedTensorParallelCommunication) {
  const CatalogInputs inputs = read_catalog();
  ASSERT_FALSE(inputs.calibration.practice.kinds.empty());
  const simulate::PublishedKind& a100 = inputs.calibration.practice.kinds.front();
  ASSERT_EQ(a100.gpu, "a100");
  EXPECT_EQ(a100.seen[at(simulate::Choice::overlap_tp)], 1U) << "off only";
  EXPECT_EQ(a100.seen[at(simulate::Choice::vpp)], 7U) << "1, 2 and 3";
}

}  // namespace
}  // namespace echo::config
