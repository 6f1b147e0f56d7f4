// The evaluator against tests/support/expression_vectors.csv, which other implementations of the language
// read too.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "base/csv.hpp"
#include "sweep/language/expression.hpp"
#include "tests/support/source_dir.hpp"

namespace echo::sweep {
namespace {

class VectorNames final : public Symbols {
 public:
  std::optional<Symbol> find(std::string_view name) override {
    const std::map<std::string_view, Symbol> known{{"a", {0, Type::integer}},
                                                   {"b", {1, Type::integer}},
                                                   {"r", {2, Type::real}},
                                                   {"yes", {3, Type::boolean}},
                                                   {"no", {4, Type::boolean}},
                                                   {"word", {5, Type::text}},
                                                   {"size", {6, Type::integer, in_bytes}},
                                                   {"rate", {7, Type::real, bytes_per_second}}};
    const auto found = known.find(name);
    return found == known.end() ? std::nullopt : std::optional(found->second);
  }
  std::int64_t intern(std::string_view text) override {
    return texts_.try_emplace(std::string(text), static_cast<std::int64_t>(texts_.size())).first->second;
  }
  std::vector<Scalar> slots() {
    return {{7, 0}, {2, 0}, {0, 1.5}, {1, 0}, {0, 0}, {intern("x"), 0}, {85899345920, 0}, {0, 5e10}};
  }

 private:
  std::map<std::string, std::int64_t> texts_;
};

std::string name_of(Type type) {
  switch (type) {
    case Type::integer:
      return "integer";
    case Type::real:
      return "real";
    case Type::boolean:
      return "boolean";
    case Type::text:
      return "text";
  }
  return "";
}

std::string powers_of(Unit unit) {
  return std::to_string(unit.bytes) + " " + std::to_string(unit.seconds) + " " + std::to_string(unit.flops);
}

TEST(ExpressionVectors, AgreeWithTheEvaluator) {
  const std::string path = support::source_dir() + "/tests/support/expression_vectors.csv";
  std::ifstream file(path);
  std::string text, line;
  while (std::getline(file, line)) text += line.starts_with('#') ? "" : line + "\n";
  const CsvTable table = CsvTable::parse(text, path);
  ASSERT_GT(table.rows(), 50u);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string expected(table.text(row, "result"));
    SCOPED_TRACE(table.text(row, "expression"));
    VectorNames names;
    ExpressionError error;
    const auto division = table.text(row, "division") == "exact" ? Division::exact : Division::real;
    const auto code = compile(table.text(row, "expression"), names, division, error);
    EXPECT_EQ(!code, expected == "error") << error.what;
    if (!code || expected == "error") continue;
    EXPECT_EQ(name_of(code->type), table.text(row, "type"));
    EXPECT_EQ(powers_of(code->unit), table.text(row, "unit"));
    const auto value = evaluate(*code, names.slots());
    EXPECT_EQ(!value, expected == "none");
    if (!value) continue;
    if (code->type == Type::real) {
      EXPECT_DOUBLE_EQ(value->real, std::stod(expected));
    } else {
      const bool truth = code->type == Type::boolean;
      EXPECT_EQ(truth ? (value->number != 0 ? "true" : "false") : std::to_string(value->number), expected);
    }
  }
}

}  // namespace
}  // namespace echo::sweep
