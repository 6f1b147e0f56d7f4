#include "config/catalog/fitted/error_file.hpp"

#include <toml++/toml.h>

#include <gtest/gtest.h>

namespace echo::config {
namespace {

ErrorFile read(const std::string& text, Problems& problems) {
  const auto table = parse_toml(text, "steps.toml", problems);
  TableReader reader(table.value(), {"steps.toml", 1, 1, 1}, "error model \"steps\"", problems);
  return read_errors(reader);
}

TEST(ErrorFile, ReadsBackWhatIsWritten) {
  ErrorFileText file{.source = "somewhere", .date = "2026-01-01"};
  double value = 0.01;
  for (const ErrorField& field : error_fields()) {
    field.of(file.model) = value += 0.01;
    file.about.push_back({"test", "assumed"});
  }
  Problems problems;
  const ErrorFile back = read(error_file_text(file), problems);
  problems.throw_if_any();
  EXPECT_EQ(back.name, "steps");
  simulate::ErrorModel model = back.model;
  for (const ErrorField& field : error_fields())
    EXPECT_NEAR(field.of(model), field.of(file.model), 1e-9) << field.name;
}

TEST(ErrorFile, KeepsDefaultsAndRefusesWhatIsNoError) {
  Problems problems;
  const std::string head = "name = \"steps\"\nsource = \"x\"\ndate = \"d\"\n[constants]\n";
  EXPECT_EQ(read(head, problems).model, simulate::ErrorModel{});
  problems.throw_if_any();
  static_cast<void>(read(head + "host = -0.1\nhots = 0.1\n", problems));
  EXPECT_THROW(problems.throw_if_any(), UserError);
}

}  // namespace
}  // namespace echo::config
