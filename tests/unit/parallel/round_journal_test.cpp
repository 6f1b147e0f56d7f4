// What a relaunched search finds of the rounds of the launch before.
#include "parallel/search/round_journal.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/journal_folder.hpp"

namespace echo::parallel {
namespace {

using search::Node;
using search::Outcome;

struct Rounds : ::testing::Test, JournalFolder {
  Rounds() { std::filesystem::create_directories(folder); }
  std::filesystem::path path = folder / "x.h5.search";

  static std::vector<Node> tasks(std::int64_t round) { return {Node{.members = round}, Node{.members = 7}}; }
  static std::vector<Outcome> outcomes(std::int64_t round) {
    return {{.parts = {Node{.members = 2 * round}, Node{.tier = 1}}, .is_eligible = round % 2 == 0}, {}};
  }
  void write(std::int64_t from, std::int64_t to) {
    RoundJournal journal(real_disk(), path, "key");
    for (std::int64_t round = 0; round < from; ++round) ASSERT_TRUE(journal.next(tasks(round)).has_value());
    for (std::int64_t round = from; round < to; ++round) journal.append(tasks(round), outcomes(round));
  }
  // Rounds that a relaunch takes over.
  std::int64_t found(const std::string& key = "key") const {
    RoundJournal journal(real_disk(), path, key);
    std::int64_t rounds = 0;
    while (const auto taken = journal.next(tasks(rounds))) {
      const std::vector<Outcome> expected = outcomes(rounds++);
      EXPECT_EQ(taken->size(), expected.size());
      EXPECT_EQ(taken->front().parts, expected.front().parts);
      EXPECT_EQ(taken->front().is_eligible, expected.front().is_eligible);
    }
    return rounds;
  }
};

TEST_F(Rounds, AreTakenOverAndGoOn) {
  EXPECT_EQ(found(), 0);
  write(0, 3);
  EXPECT_EQ(found(), 3);
  write(3, 5);
  EXPECT_EQ(found(), 5);
  EXPECT_EQ(found("another"), 0);
}

TEST_F(Rounds, EndWhereTheFileIsTorn) {
  write(0, 4);
  const auto whole = std::filesystem::file_size(path);
  std::int64_t before = 4;
  for (auto size = whole; size-- > 0;) {
    std::filesystem::resize_file(path, size);
    const std::int64_t rounds = found();
    EXPECT_LE(rounds, before);
    EXPECT_LT(rounds, 4);
    before = rounds;
  }
  EXPECT_EQ(before, 0);
}

TEST_F(Rounds, AfterATornOneAreWrittenInItsPlace) {
  write(0, 3);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  write(2, 6);
  EXPECT_EQ(found(), 6);
}

TEST_F(Rounds, WithAChangedByteAreDropped) {
  write(0, 2);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-3, std::ios::end);
  file.put('?');
  file.close();
  EXPECT_EQ(found(), 1);
}

TEST_F(Rounds, OfOtherTasksAreNotTaken) {
  write(0, 2);
  RoundJournal journal(real_disk(), path, "key");
  EXPECT_FALSE(journal.next(tasks(5)).has_value());
  journal.append(tasks(5), outcomes(5));
  RoundJournal again(real_disk(), path, "key");
  EXPECT_EQ(again.rounds_found(), 1);
}

}  // namespace
}  // namespace echo::parallel
