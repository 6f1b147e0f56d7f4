#include "parallel/answers/answer_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "parallel/answers/question_lock.hpp"

namespace echo::parallel {
namespace {

namespace fs = std::filesystem;
using simulate::PacketAnswer;

const std::string program = "0123456789abcdef0123", other_program = "fedcba98765432100123";

Hash128 question(int number) { return hash128(std::as_bytes(std::span(&number, 1))); }

class AnswerFolderTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  // An answer, and whether it was worked out for this question.
  std::pair<PacketAnswer, bool> ask(AnswerFolder& answers, int number) const {
    bool worked = false;
    const PacketAnswer answer = answers.answer(question(number), [&] {
      worked = true;
      return PacketAnswer{0.1 * number, SimTime(number)};
    });
    return {answer, worked};
  }
  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& one : fs::directory_iterator(folder_))
      if (one.path().extension() == ".answers") found.push_back(one.path());
    return found;
  }

  fs::path folder_ = fs::temp_directory_path() / ("echo-answers-test-" + std::to_string(::getpid()));
};

TEST_F(AnswerFolderTest, GivesEveryAnswerOnceToAllWhoAsk) {
  AnswerFolder one(folder_, program), two(folder_, program);
  for (int i = 1; i <= 50; ++i) {
    const auto [first, first_worked] = ask(i % 2 == 0 ? one : two, i);
    const auto [second, second_worked] = ask(i % 2 == 0 ? two : one, i);
    EXPECT_TRUE(first_worked);
    EXPECT_FALSE(second_worked);
    EXPECT_EQ(first, (PacketAnswer{0.1 * i, SimTime(i)}));
    EXPECT_EQ(second, first);
  }
  AnswerFolder later(folder_, program);
  for (int i = 1; i <= 50; ++i) EXPECT_FALSE(ask(later, i).second) << i;
  EXPECT_EQ(files().size(), 2U) << "who works nothing out writes nothing";
}

TEST_F(AnswerFolderTest, KeepsThoseOfAnotherProgramApart) {
  AnswerFolder one(folder_, program), other(folder_, other_program);
  EXPECT_TRUE(ask(one, 1).second);
  EXPECT_TRUE(ask(other, 1).second);
}

// Each byte of a file is damaged in turn: answers from there on are worked out again, none is wrong.
TEST_F(AnswerFolderTest, WorksOutAgainWhatIsDamaged) {
  AnswerFolder writer(folder_, program);
  for (int i = 1; i <= 3; ++i) (void)ask(writer, i);
  const fs::path file = files().front();
  std::string bytes(fs::file_size(file), '\0');
  std::ifstream(file, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    std::ofstream(file, std::ios::binary) << damaged;
    AnswerFolder reader(folder_, program);
    int again = 0;
    for (int i = 1; i <= 3; ++i) {
      const auto [answer, worked] = ask(reader, i);
      EXPECT_EQ(answer, (PacketAnswer{0.1 * i, SimTime(i)})) << at;
      again += worked ? 1 : 0;
    }
    EXPECT_EQ(again, 3 - static_cast<int>(at * 3 / bytes.size())) << at;
    for (const fs::path& one : files())
      if (one != file) fs::remove(one);
  }
}

TEST_F(AnswerFolderTest, AnswersWhereTheDiskRefuses) {
  std::ofstream(folder_) << "a file where the folder should be";
  AnswerFolder answers(folder_, program);
  EXPECT_TRUE(ask(answers, 1).second);
  EXPECT_FALSE(ask(answers, 1).second);
}

TEST_F(AnswerFolderTest, MakesOthersWaitForWhatIsBeingWorkedOut) {
  fs::create_directories(folder_);
  std::atomic<int> worked = 0;
  std::vector<std::thread> askers;
  for (int i = 0; i < 4; ++i)
    askers.emplace_back([&] {
      AnswerFolder answers(folder_, program);
      const PacketAnswer answer = answers.answer(question(7), [&] {
        ++worked;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return PacketAnswer{7.0, SimTime(7)};
      });
      EXPECT_EQ(answer, (PacketAnswer{7.0, SimTime(7)}));
    });
  for (std::thread& one : askers) one.join();
  EXPECT_EQ(worked, 1);
}

}  // namespace
}  // namespace echo::parallel
