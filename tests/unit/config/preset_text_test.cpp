#include "config/catalog/preset_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/named_table.hpp"
#include "config/sweep_file/sweep_keys.hpp"
#include "config/toml/read_file.hpp"
#include "tests/support/temp_catalog.hpp"

namespace echo::config {
namespace {

using support::TempCatalog;
using ::testing::HasSubstr;

// The template with every blank filled: the example of its hint, the first of its words, the least it may be.
std::string filled(const std::string& text, const std::string& kernels, const std::string& network) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = "), hint = line.find("  # ");
    if (line.starts_with('#') || equals == std::string::npos || hint == std::string::npos) {
      out += line + "\n";
      continue;
    }
    const std::string key = line.substr(0, equals), about = line.substr(hint + 4);
    std::string value = line.substr(equals + 3, hint - equals - 3);
    const std::size_t example = about.find("such as \"");
    if (value == "\"\"" && example != std::string::npos) value = about.substr(example + 8);
    if (value == "\"\"" && about.find(" | ") != std::string::npos)
      value = "\"" + about.substr(0, about.find(" | ")) + "\"";
    if (value == "0" && about.find("at least 70") != std::string::npos) value = "90";
    if (value == "0") value = about.find("at most 3") != std::string::npos ? "3" : "8";
    if (key == "source") value = "\"a test\"";
    if (key == "gpu") value = "\"h100-sxm\"";
    if (key == "kernels" && value == "\"\"") value = "\"" + kernels + "\"";
    if (key == "network") value = "\"" + network + "\"";
    out += key + " = " + value + "\n";
  }
  return out;
}

std::string with_source(std::string text) {
  const std::string blank = "source = \"\"";
  for (std::size_t at = text.find(blank); at != std::string::npos; at = text.find(blank))
    text.replace(at, blank.size(), "source = \"mine\"");
  return text;
}

TEST(PresetText, TemplateReadsOnceItIsFilled) {
  const TempCatalog temp;
  for (const std::string_view kind : preset_sections()) {
    const std::string text = filled(preset_template(std::string(kind), "mine"), "h100-sxm", "h800");
    support::write_file(temp.folder() / kind / "mine.toml", text);
  }
  EXPECT_THAT(TempCatalog::told([] { (void)read_catalog(); }), ::testing::IsEmpty());
  const auto catalog = read_catalog().catalog;
  EXPECT_GE(find_named(catalog.gpus, "mine"), 0);
  EXPECT_GE(find_named(catalog.clusters, "mine"), 0);
  EXPECT_GE(find_named(catalog.models, "mine"), 0);
  EXPECT_GE(find_named(catalog.frameworks, "mine"), 0);
  EXPECT_GE(find_named(catalog.recipes, "mine"), 0);
}

TEST(PresetText, TemplateDoesNotReadAsItIs) {
  const TempCatalog temp;
  support::write_file(temp.folder() / "gpus" / "mine.toml", preset_template("gpus", "mine"));
  EXPECT_THAT(TempCatalog::told([] { (void)read_catalog(); }),
              ::testing::Contains(HasSubstr("source is empty")));
}

TEST(PresetText, CopyReadsAsItIsUnderItsNewName) {
  const TempCatalog temp;
  for (const std::string_view kind : preset_sections()) {
    for (const std::string& path : toml_files_in((temp.folder() / kind).string())) {
      const std::string old_name = support::fs::path(path).stem().string();
      support::write_file(temp.root() / "copies" / kind / (old_name + "-copy.toml"),
                          with_source(renamed_preset(*read_whole_file(path), old_name, old_name + "-copy")));
    }
  }
  const auto folders = catalog_folders({(temp.root() / "copies").string()});
  const auto catalog = read_catalog(folders).catalog;
  EXPECT_GE(find_named(catalog.gpus, "h100-sxm-copy"), 0);
  EXPECT_GE(find_named(catalog.clusters, "h800-96-copy"), 0);
  EXPECT_GE(find_named(catalog.models, "gpt3-175b-copy"), 0);
  EXPECT_GE(find_named(catalog.frameworks, "nemo-copy"), 0);
}

TEST(PresetText, ACopyHasTheValuesOfItsDonorAndNoneOfItsCitations) {
  const std::string donor =
      "# What the donor says of itself.\nname = \"old\"\nsource = \"a \\\"treatise\\\"\"\ngrade  = "
      "\"vendor\"\n"
      "licence = \"MIT\"\ndate = \"2026-01-01\"\n\n"
      "memory = { value = \"80 GiB\", source = \"leaf, { page 3 }\", grade = \"measured\" }  # in use\n"
      "rate = { value = 0.5, error = 0.1, source = \"fitted\" }\nnodes = 3\n"
      "[peak]\nname_of = { value = [1, 2], source = \"s\", grade = \"vendor\" }\n";
  const std::string copy = renamed_preset(donor, "old", "new");
  for (const char* gone :
       {"treatise", "vendor\"\n", "MIT", "2026", "leaf", "measured\"", "fitted", "says of itself"})
    EXPECT_EQ(copy.find(gone), std::string::npos) << gone << "\n" << copy;
  for (const char* kept :
       {"name   = \"new\"\n", "source = \"\"", "grade  = \"assumed\"", "memory = \"80 GiB\"  # in use\n",
        "rate = { value = 0.5, error = 0.1 }\n", "nodes = 3\n"})
    EXPECT_NE(copy.find(kept), std::string::npos) << kept << "\n" << copy;
  const auto was = preset_values(donor), is = preset_values(copy);
  ASSERT_EQ(was.size(), is.size() + 1);  // the licence
}

TEST(PresetText, ListsValuesWithTheirUnits) {
  const auto values = preset_values(
      "name = \"x\"\nsource = \"y\"\nmemory = { value = \"80 GiB\", source = \"z\" }\nnodes = 3\nshare = "
      "0.1\n[peak]\nbf16 = "
      "\"1 TFLOP/s\"\n");
  ASSERT_EQ(values.size(), 4u);
  EXPECT_EQ(values[0].key + "=" + values[0].value, "memory=80 GiB");
  EXPECT_EQ(values[1].key + "=" + values[1].value, "nodes=3");
  EXPECT_EQ(values[2].key + "=" + values[2].value, "share=0.1");
  EXPECT_EQ(values[3].key + "=" + values[3].value, "peak.bf16=1 TFLOP/s");
}

TEST(PresetText, RefusesAKindWithoutTemplate) {
  EXPECT_THROW((void)preset_template("kernels", "x"), UserError);
}

}  // namespace
}  // namespace echo::config
