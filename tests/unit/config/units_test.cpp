#include "config/toml/units.hpp"

#include <gtest/gtest.h>

#include "sweep/language/expression.hpp"
#include "sweep/language/unit.hpp"

namespace echo::config {
namespace {

long double value(std::string_view text, UnitKind kind) {
  UnitProblem problem;
  const auto parsed = parse_quantity(text, kind, "x", problem);
  EXPECT_TRUE(parsed) << text << ": " << problem.what;
  return parsed.value_or(-1.0L);
}

UnitProblem trouble(std::string_view text, UnitKind kind) {
  UnitProblem problem;
  EXPECT_FALSE(parse_quantity(text, kind, "x", problem)) << text;
  return problem;
}

// Values of keys and literals of expressions have a table of units each; what both know must mean the same.
TEST(Units, MeanTheSameInExpressions) {
  struct NoNames : sweep::Symbols {
    std::optional<sweep::Symbol> find(std::string_view) override { return std::nullopt; }
    std::int64_t intern(std::string_view) override { return 0; }
  };
  const std::vector<std::pair<UnitKind, sweep::Unit>> kinds{
      {UnitKind::bytes, sweep::in_bytes},
      {UnitKind::duration, sweep::in_seconds},
      {UnitKind::tokens, sweep::plain},
      {UnitKind::count, sweep::plain},
      {UnitKind::bytes_per_second, sweep::bytes_per_second},
      {UnitKind::flops_per_second, sweep::flops_per_second}};
  std::vector<std::string> units = sweep::unit_names();
  for (const std::string& name : sweep::unit_names()) units.push_back(name + "/s");
  for (const char* prefix : {"k", "M", "B", "T", "Ki", "Mi"})
    units.push_back(std::string(prefix) + " tokens");
  int compared = 0;
  for (const std::string& unit : units) {
    for (const char* number : {"3", "0.7"}) {
      const std::string text = std::string(number) + " " + unit;
      for (const auto& [kind, dimension] : kinds) {
        UnitProblem ignored;
        const auto expected = parse_quantity(text, kind, "x", ignored);
        NoNames names;
        sweep::ExpressionError error;
        const auto code = sweep::compile(text, names, sweep::Division::real, error);
        if (!expected || !code || code->unit != dimension) continue;
        const auto got = sweep::evaluate(*code, {});
        ASSERT_TRUE(got) << text;
        const double value = code->type == sweep::Type::real ? got->real : static_cast<double>(got->number);
        EXPECT_DOUBLE_EQ(value, static_cast<double>(*expected)) << text;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 150);
}

TEST(Units, TellBitsFromBytes) {
  EXPECT_EQ(value("400 Gb/s", UnitKind::bytes_per_second), 50e9L);
  EXPECT_EQ(value("400 GB/s", UnitKind::bytes_per_second), 400e9L);
  EXPECT_EQ(value("400 Gbit/s", UnitKind::bytes_per_second), 50e9L);
  EXPECT_EQ(value("8 b", UnitKind::bytes), 1.0L);
}

TEST(Units, TellThousandsFromPowersOfTwo) {
  EXPECT_EQ(value("80 GB", UnitKind::bytes), 80e9L);
  EXPECT_EQ(value("80 GiB", UnitKind::bytes), 80.0L * (1LL << 30));
  EXPECT_EQ(value("1 kB", UnitKind::bytes), 1000.0L);
  EXPECT_EQ(value("1 KiB", UnitKind::bytes), 1024.0L);
}

TEST(Units, ReadRatesOfArithmetic) {
  EXPECT_NEAR(static_cast<double>(value("989.4 TFLOP/s", UnitKind::flops_per_second)), 989.4e12, 1.0);
  EXPECT_EQ(value("1 PFLOP/s", UnitKind::flops_per_second), 1e15L);
  EXPECT_EQ(value("312 TFLOPS", UnitKind::flops_per_second), 312e12L);
}

TEST(Units, AddCompoundDurations) {
  EXPECT_EQ(value("3 h 30 min", UnitKind::duration), 12600.0L);
  EXPECT_EQ(value("3h30min", UnitKind::duration), 12600.0L);
  EXPECT_NEAR(static_cast<double>(value("1.5 us", UnitKind::duration)), 1.5e-6, 1e-20);
  EXPECT_EQ(value("30 d", UnitKind::duration), 2592000.0L);
}

TEST(Units, CountTokensExactly) {
  EXPECT_EQ(value("4 Mi tokens", UnitKind::tokens), 4194304.0L);
  EXPECT_EQ(value("1T tokens", UnitKind::tokens), 1e12L);
  EXPECT_EQ(value("300 B tokens", UnitKind::tokens), 300e9L);
  EXPECT_EQ(value("2_048 tokens", UnitKind::tokens), 2048.0L);
  EXPECT_EQ(value("40 M", UnitKind::count), 40e6L);
}

TEST(Units, OfferBothReadingsOfABareNumber) {
  const UnitProblem problem = trouble("400", UnitKind::bytes_per_second);
  EXPECT_EQ(problem.what, "x needs a unit: it is a bandwidth");
  EXPECT_EQ(problem.remedy, "write \"400 Gb/s\" (= 50 GB/s) or \"400 GB/s\"");
  EXPECT_EQ(trouble("80", UnitKind::bytes).remedy, "write \"80 GiB\" or \"80 GB\"");
}

TEST(Units, SuggestTheUnitThatWasMeant) {
  EXPECT_EQ(trouble("400 GBs", UnitKind::bytes_per_second).remedy, "did you mean \"GB/s\"?");
  EXPECT_EQ(trouble("3 hours", UnitKind::duration).what, "unknown unit \"hours\" for x");
}

TEST(Units, RefuseAQuantityOfAnotherKind) {
  EXPECT_EQ(trouble("400 GB", UnitKind::bytes_per_second).what, "\"400 GB\" is a size, but x is a bandwidth");
  EXPECT_EQ(trouble("2 s", UnitKind::bytes).what, "\"2 s\" is a duration, but x is a size");
}

TEST(Units, RefuseWhatIsNoNumber) {
  for (const char* text : {"", "GB", "1.2.3 GB", "--1 GB", "1e GB", "x"}) trouble(text, UnitKind::bytes);
}

}  // namespace
}  // namespace echo::config
