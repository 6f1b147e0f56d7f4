#include "cli/terminal/problem_text.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/temp_file.hpp"

namespace echo::cli {
namespace {

// The lines of the message about a place, and what stands over its caret.
struct Shown {
  std::string line, caret;
  [[nodiscard]] char under_caret() const { return line.at(caret.find('^')); }
};

Shown shown(const std::string& text, std::int32_t column) {
  const TempFile file("problem.txt");
  std::ofstream(file.path) << text << "\n";
  std::istringstream message(
      problem_text(Problem{{file.path.string(), 1, column, 1}, "wrong", "mend it"}, false));
  Shown out;
  std::getline(message, out.line);
  std::getline(message, out.line);
  std::getline(message, out.caret);
  return out;
}

TEST(ProblemText, PointsAtTheCharacter) { EXPECT_EQ(shown("ab!cd", 3).under_caret(), '!'); }

TEST(ProblemText, ShowsOfALongLineWhatIsAroundTheCharacter) {
  for (const std::int32_t column : {1, 5, 81, 150, 4000, 7990, 8000}) {
    std::string text(8000, 'x');
    text[static_cast<std::size_t>(column) - 1] = '!';
    const Shown of = shown(text, column);
    EXPECT_EQ(of.under_caret(), '!') << column;
    EXPECT_LT(of.line.size(), 230U) << column;
  }
}

TEST(ProblemText, CutsNoCharacterInTwo) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "\u00e9";
  const std::string line = shown(text, 300).line;
  const std::size_t letters = line.find("\u00e9");
  ASSERT_NE(letters, line.npos);
  EXPECT_EQ(static_cast<unsigned char>(line[line.find("...") + 3]), 0xC3U);
}

TEST(ProblemText, ShowsControlCharactersAndStillPointsAtTheCharacter) {
  const Shown of = shown("a\x1b[31m\u00e9!cd", 8);
  EXPECT_EQ(of.line, "    1 | a\\x1b[31m\u00e9!cd");
  EXPECT_EQ(of.caret.find('^'), std::string("    1 | a\\x1b[31me").size());
}

TEST(ProblemText, HasNoControlCharacterOfItsParts) {
  const std::string text =
      problem_text(Problem{{"f\x1b]0;x\x07", 1, 1, 1}, "what\x1b[2J", "remedy\r"}, false);
  EXPECT_EQ(text, "f\\x1b]0;x\\x07:1:1: error: what\\x1b[2J\n  remedy\\x0d\n");
}

TEST(ProblemText, IsShortWhateverTheNamesInIt) {
  const std::string name(1'000'000, 'x');
  const std::string text = problem_text(Problem{{}, "\"" + name + "\" stands twice", "rename it"}, false);
  EXPECT_LT(text.size(), 3000U);
  EXPECT_NE(text.find("stands twice"), text.npos);
}

TEST(ProblemText, UnderlinesNoMoreThanIsShown) {
  const TempFile file("problem.txt");
  std::ofstream(file.path) << std::string(1'000'000, 'x') << "\n";
  const std::string text =
      problem_text(Problem{{file.path.string(), 1, 1, 1'000'000}, "wrong", "mend it"}, false);
  EXPECT_LT(text.size(), 1000U);
}

}  // namespace
}  // namespace echo::cli
