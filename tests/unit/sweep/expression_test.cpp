#include "sweep/language/expression.hpp"

#include <gtest/gtest.h>

#include <map>

namespace echo::sweep {
namespace {

// a = 7, b = 2, big = 2^62, r = 1.5, yes, no, word = 'x', size = 80 GiB, rate = 50 GB/s.
class Names final : public Symbols {
 public:
  std::optional<Symbol> find(std::string_view name) override {
    const std::map<std::string_view, Symbol> known{{"a", {0, Type::integer}},
                                                   {"b", {1, Type::integer}},
                                                   {"big", {2, Type::integer}},
                                                   {"r", {3, Type::real}},
                                                   {"yes", {4, Type::boolean}},
                                                   {"no", {5, Type::boolean}},
                                                   {"word", {6, Type::text}},
                                                   {"model.layers", {7, Type::integer}},
                                                   {"size", {8, Type::integer, in_bytes}},
                                                   {"rate", {9, Type::real, bytes_per_second}}};
    const auto found = known.find(name);
    return found == known.end() ? std::nullopt : std::optional(found->second);
  }
  std::int64_t intern(std::string_view text) override {
    return texts_.try_emplace(std::string(text), static_cast<std::int64_t>(texts_.size())).first->second;
  }
  std::optional<ExpressionError> check_comparison(std::string_view name, std::string_view literal,
                                                  std::int32_t offset) override {
    compared_ = std::string(name) + " " + std::string(literal) + " " + std::to_string(offset);
    if (literal == "x" || literal == "y") return std::nullopt;
    return ExpressionError{0, 1, "unknown word", "", std::string(literal), {"x", "y"}};
  }
  [[nodiscard]] const std::string& compared() const { return compared_; }
  std::vector<Scalar> slots() {
    return {{7, 0},           {2, 0},  {std::int64_t{1} << 62, 0},  {0, 1.5}, {1, 0}, {0, 0},
            {intern("x"), 0}, {96, 0}, {std::int64_t{80} << 30, 0}, {0, 50e9}};
  }

 private:
  std::map<std::string, std::int64_t> texts_;
  std::string compared_;
};

std::optional<Scalar> result(std::string_view text, Division division = Division::exact) {
  Names names;
  ExpressionError error;
  const auto code = compile(text, names, division, error);
  EXPECT_TRUE(code) << text << ": " << error.what;
  return code ? evaluate(*code, names.slots()) : std::nullopt;
}
std::int64_t whole(std::string_view text) {
  const auto value = result(text);
  EXPECT_TRUE(value) << text;
  return value ? value->number : -12345;
}
bool truth(std::string_view text) {
  const auto value = result(text, Division::real);
  EXPECT_TRUE(value) << text;
  return value && value->number != 0;
}
double real(std::string_view text) { return result(text, Division::real).value_or(Scalar{0, -12345.0}).real; }

ExpressionError refused(std::string_view text) {
  Names names;
  ExpressionError error;
  EXPECT_FALSE(compile(text, names, Division::real, error)) << text;
  return error;
}

TEST(Expression, BindsAsInArithmetic) {
  EXPECT_EQ(whole("2 + 3 * 4"), 14);
  EXPECT_EQ(whole("(2 + 3) * 4"), 20);
  EXPECT_EQ(whole("20 - 5 - 3"), 12);
  EXPECT_EQ(whole("-a + 10"), 3);
  EXPECT_EQ(whole("2 * -3"), -6);
  EXPECT_EQ(whole("100 / 5 / 2"), 10);
  EXPECT_EQ(whole("model.layers / (b * 4)"), 12);
}

TEST(Expression, FloorsAndWrapsTowardsTheDivisor) {  // as mathematics and Python do
  EXPECT_EQ(whole("7 // 2"), 3);
  EXPECT_EQ(whole("-7 // 2"), -4);
  EXPECT_EQ(whole("7 // -2"), -4);
  EXPECT_EQ(whole("-7 % 3"), 2);
  EXPECT_EQ(whole("7 % -3"), -2);
  EXPECT_EQ(whole("-9223372036854775807 % -6"), -1);  // a detour over the quotient would overflow
  EXPECT_EQ(real("7.5 // 2"), 3.0);
  EXPECT_EQ(real("-7.5 % 2"), 0.5);
}

TEST(Expression, DividesExactlyInADeriveAndReallyInAKeep) {
  EXPECT_EQ(whole("96 / 8"), 12);
  EXPECT_FALSE(result("97 / 8", Division::exact));
  EXPECT_EQ(real("97 / 8"), 12.125);
  EXPECT_TRUE(truth("7 / 2 == 3.5"));
}

TEST(Expression, HasNoResultWhereMathematicsHasNone) {
  EXPECT_FALSE(result("a / 0"));
  EXPECT_FALSE(result("a // (b - 2)"));
  EXPECT_FALSE(result("a % 0"));
  EXPECT_FALSE(result("1.0 / 0.0", Division::real));
  EXPECT_FALSE(result("big * 2"));
  EXPECT_FALSE(result("big + big"));
  EXPECT_FALSE(result("-big - big - 1"));
}

TEST(Expression, Compares) {
  EXPECT_TRUE(truth("a > b"));
  EXPECT_TRUE(truth("a >= 7"));
  EXPECT_FALSE(truth("a > 7"));
  EXPECT_TRUE(truth("a <= 7"));
  EXPECT_FALSE(truth("a < 7"));
  EXPECT_TRUE(truth("a != b"));
  EXPECT_TRUE(truth("r == 1.5"));
  EXPECT_TRUE(truth("b > r"));
  EXPECT_TRUE(truth("r < b"));
  EXPECT_TRUE(truth("word == 'x'"));
  EXPECT_TRUE(truth("word != \"y\""));
  EXPECT_TRUE(truth("(word == 'x') == (b > 1)"));
  EXPECT_TRUE(truth("yes != no"));
}

TEST(Expression, ReasonsAsLogicDoes) {
  for (const char* a : {"true", "false"}) {
    for (const char* b : {"true", "false"}) {
      const bool x = a[0] == 't', y = b[0] == 't';
      const std::string left(a), right(b);
      EXPECT_EQ(truth(left + " and " + right), x && y);
      EXPECT_EQ(truth(left + " or " + right), x || y);
      EXPECT_EQ(truth("not " + left + " or " + right), !x || y);
      EXPECT_EQ(truth("not (" + left + " or " + right + ")"), !(x || y));
      EXPECT_EQ(truth(left + " or " + right + " and false"), x);
      EXPECT_EQ(truth(left + " and " + right + " or true"), true);
    }
  }
}

TEST(Expression, StopsAtTheFirstDecisiveTerm) {
  EXPECT_TRUE(truth("b == 2 or a % 0 == 1"));
  EXPECT_FALSE(truth("b == 3 and a % 0 == 1"));
  EXPECT_FALSE(result("b == 3 or a % 0 == 1"));
}

TEST(Expression, TakesExtremes) {
  EXPECT_EQ(whole("min(a, b, 5)"), 2);
  EXPECT_EQ(whole("max(a, b) * 2"), 14);
  EXPECT_EQ(real("max(r, 1, b) + 0.5"), 2.5);
  EXPECT_EQ(whole("min(a)"), 7);
}

TEST(Expression, ReadsNumbersWithSizes) {
  EXPECT_EQ(whole("2 GiB"), std::int64_t{2} << 30);
  EXPECT_EQ(whole("80 GB // 1 MB"), 80000);
  EXPECT_EQ(whole("4 Mi"), 4 << 20);
  EXPECT_EQ(whole("1_000_000"), 1000000);
  EXPECT_EQ(real("0.5 GiB + 0.0 B"), 536870912.0);
  EXPECT_EQ(real("1.5e3 + 0"), 1500.0);
}

Unit unit_of(std::string_view text) {
  Names names;
  ExpressionError error;
  const auto code = compile(text, names, Division::real, error);
  EXPECT_TRUE(code) << text << ": " << error.what;
  return code ? code->unit : Unit{9, 9, 9};
}

TEST(Expression, ReadsNumbersWithUnits) {
  EXPECT_EQ(whole("30 d"), 2592000);
  EXPECT_EQ(whole("3 h 30 min"), 12600);
  EXPECT_EQ(whole("1 d 2 h 3 min 4 s"), 93784);
  EXPECT_EQ(real("1.5 us + 0 s"), 1.5e-6);
  EXPECT_EQ(real("1 min 0.5 s + 0.0 s"), 60.5);
  EXPECT_EQ(whole("400 Gb/s"), 50000000000);
  EXPECT_EQ(whole("400 GB/s"), 400000000000);
  EXPECT_EQ(whole("1 Kib"), 128);
  EXPECT_EQ(real("4 b + 0 B"), 0.5);
  EXPECT_EQ(real("989.4 TFLOP/s + 0 FLOPS"), 989.4e12);
  EXPECT_EQ(whole("4 Mi tokens"), 4194304);
  EXPECT_EQ(whole("300 B tokens"), 300000000000);
  EXPECT_EQ(whole("50 k tokens/s"), 50000);
  EXPECT_EQ(whole("50 MWh"), 180'000'000'000);
  EXPECT_EQ(whole("2 kJ"), 2000);
  EXPECT_EQ(whole("3 t"), 3000);
  EXPECT_EQ(real("500 g + 0.0 kg"), 0.5);
}

TEST(Expression, FollowsUnitsThroughArithmetic) {
  EXPECT_EQ(unit_of("a * 3"), plain);
  EXPECT_EQ(unit_of("size"), in_bytes);
  EXPECT_EQ(unit_of("0.92 * size + 1 GiB"), in_bytes);
  EXPECT_EQ(unit_of("size / rate"), in_seconds);
  EXPECT_EQ(unit_of("700 W * 3 h"), in_joules);
  EXPECT_EQ(unit_of("1 MWh / 1 kWh"), plain);
  EXPECT_EQ(unit_of("3 t + 1 kg"), in_kilograms);
  EXPECT_EQ(unit_of("size / 1 GiB"), plain);
  EXPECT_EQ(unit_of("rate * 3 s - size // 2"), in_bytes);
  EXPECT_EQ(unit_of("-size % 1 GiB"), in_bytes);
  EXPECT_EQ(unit_of("min(size, 1 GB)"), in_bytes);
  EXPECT_EQ(unit_of("80 GiB/s"), bytes_per_second);
  EXPECT_EQ(unit_of("50 tokens/s"), per_second);
  EXPECT_EQ(unit_of("1 TFLOP/s"), flops_per_second);
  EXPECT_EQ(unit_of("size > 1 GiB"), plain);
  EXPECT_EQ(unit_of("1 / (2 s)"), per_second);
}

TEST(Expression, KnowsWhichWordANameIsComparedWith) {
  Names names;
  ExpressionError error;
  EXPECT_TRUE(compile("a > 1 and word == 'x'", names, Division::real, error));
  EXPECT_EQ(names.compared(), "word x 19");
  EXPECT_TRUE(compile("'y' != (word)", names, Division::real, error));
  EXPECT_EQ(names.compared(), "word y 1");
  EXPECT_FALSE(compile("yes and word == \"zz\"", names, Division::real, error));
  EXPECT_EQ(error.offset, 17);
  EXPECT_EQ(error.length, 2);
  EXPECT_EQ(error.unknown_name, "zz");
  Names others;
  EXPECT_TRUE(compile("'q' == 'r' and word == word", others, Division::real, error));
  EXPECT_EQ(others.compared(), "");
}

TEST(Expression, PointsAtTheCharacterThatIsWrong) {
  const auto check = [](std::string_view text, std::int32_t offset, std::int32_t length,
                        std::string_view what) {
    const ExpressionError error = refused(text);
    EXPECT_EQ(error.offset, offset) << text;
    EXPECT_EQ(error.length, length) << text;
    EXPECT_NE(error.what.find(what), std::string::npos) << text << ": " << error.what;
  };
  check("a + modle.layers", 4, 12, "unknown name \"modle.layers\"");
  check("a + ", 4, 1, "ends too early");
  check("(a + b", 6, 1, "ends too early");
  check("a = b", 2, 1, "write ==");
  check("a + b)", 5, 1, "does not belong here");
  check("1 < a < 9", 6, 1, "do not chain");
  check("a and b", 2, 3, "wants true or false on its left");
  check("yes and b", 4, 3, "wants true or false on its right");
  check("word + 1", 5, 1, "wants a number on its left");
  check("word < 'x'", 5, 1, "cannot compare");
  check("word == 3", 5, 2, "cannot compare a text with a number");
  check("not a", 0, 3, "wants true or false");
  check("'abc", 0, 4, "no closing quote");
  check("a ? b", 2, 1, "is not allowed here");
  check("min a", 4, 1, "needs (");
  check("99999999999999999999", 0, 20, "too large");
  check("a b", 2, 1, "does not belong here");
  check("size > 3 s", 5, 1, "\">\" compares bytes with seconds");
  check("size > 80", 5, 1, "compares bytes with a plain number");
  check("size + rate", 5, 1, "\"+\" adds bytes with bytes/s");
  check("size - a", 5, 1, "\"-\" subtracts bytes with a plain number");
  check("size % a", 5, 1, "\"%\" divides bytes with a plain number");
  check("min(size, a)", 0, 3, "\"min\" compares bytes with a plain number");
  check("80 Gib > 80 gib", 12, 3, "unknown unit \"gib\"");
  check("3 h 30", 4, 2, "lacks its unit");
  check("30 min 3 h", 7, 1, "from long to short");
  check("3 h 3 h", 4, 1, "from long to short");
  check("99999999999 PiB", 0, 11, "too large");
  check("80 GiB/ s", 8, 1, "unknown name");
  check("size*size*size*size*size*size*size*size*size*size", 44, 1, "is not supported");
}

TEST(Expression, BoundsNesting) {
  const std::string deep(40, '('), too_deep(60, '(');
  EXPECT_EQ(whole(deep + "a" + std::string(40, ')')), 7);
  EXPECT_NE(refused(too_deep + "a" + std::string(60, ')')).what.find("nested too deeply"), std::string::npos);
  EXPECT_NE(refused(std::string(200, '-') + "a").what.find("nested too deeply"), std::string::npos);
}

TEST(Expression, BoundsLength) {
  std::string sum = "1";
  while (sum.size() + 4 <= static_cast<std::size_t>(max_expression_length)) sum += " + 1";
  EXPECT_EQ(whole(sum), static_cast<std::int64_t>(sum.size() + 3) / 4);
  EXPECT_NE(refused(sum + " + 1").what.find("too long"), std::string::npos);
}

TEST(Expression,
     FillsTheStackAtItsDeepest) {  // every level leaves a comparison, a sum, a product and an argument open
  std::string text = "1", close;
  for (int level = 0; level < 40; ++level) text = "max(0, 1 + 1 * (" + text + "))";
  EXPECT_TRUE(truth("0 < " + std::string("max(0, 1)")));
  const ExpressionError error = refused(text);  // two parentheses a level pass the bound
  EXPECT_NE(error.what.find("nested too deeply"), std::string::npos);
  text = "1";
  for (int level = 0; level < 23; ++level) text = "max(0, 1 + 1 * (" + text + "))";
  EXPECT_EQ(whole(text), 24);
}

}  // namespace
}  // namespace echo::sweep
