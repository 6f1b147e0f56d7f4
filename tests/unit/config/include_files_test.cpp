#include "config/sweep_file/include_files.hpp"

#include <algorithm>

#include "base/named_table.hpp"
#include "tests/unit/config/sweep_fixture.hpp"

namespace echo::config {
namespace {

using support::TempCatalog;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* a_model =
    "source = \"lab\"\ngrade = \"assumed\"\nlayers = 4\nhidden = 64\nheads = 8\nvocab = 100\nmax_positions = "
    "32\n"
    "gated_ffn = false\ntied_embeddings = true\nlinear_bias = true\nnorm = \"layer\"\npositions = "
    "\"learned\"\n";

class Includes : public SweepFile {
 protected:
  void site(const std::string& text, const std::string& name = "site.toml") const {
    (void)temp_.sweep(text, name);
  }
  [[nodiscard]] SweepInputs read(const std::string& text) const { return read_sweep(temp_.sweep(text)); }
  // "file what" of every problem.
  [[nodiscard]] std::vector<std::string> told(const std::string& text) const {
    std::vector<std::string> lines;
    try {
      (void)read(text);
    } catch (const UserError& error) {
      for (const Problem& problem : error.problems()) {
        lines.push_back(support::fs::path(problem.place.file).filename().string() + ":" +
                        std::to_string(problem.place.line) + " " + problem.what);
      }
    }
    return lines;
  }
  const std::string head_ =
      "include = [\"site.toml\"]\n[space]\nmodel = \"gpt3-125m\"\ncluster = \"h800-96\"\nglobal_batch = 8\n";
};

TEST_F(Includes, BringPresetsThatTheSweepMayName) {
  site("[models.lab-4]\n" + std::string(a_model));
  const auto inputs = read(
      "include = [\"site.toml\"]\n[space]\nmodel = \"lab-4\"\ncluster = \"h800-96\"\nglobal_batch = 8\n");
  const auto at = find_named(inputs.catalog.models, "lab-4");
  ASSERT_GE(at, 0);
  EXPECT_EQ(inputs.catalog.models[static_cast<std::size_t>(at)].layers, 4);
  EXPECT_TRUE(std::is_sorted(inputs.catalog.models.begin(), inputs.catalog.models.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
  EXPECT_TRUE(std::any_of(inputs.files.begin(), inputs.files.end(), [](const InputFile& file) {
    return file.kind == "include" && file.path.ends_with("site.toml") && file.hash.size() == 32;
  }));
}

TEST_F(Includes, BeatTheCatalogButNotThePresetPath) {
  site("[models.gpt3-125m]\n" + std::string(a_model));
  const auto layers = [](const SweepInputs& inputs) {
    return inputs.catalog.models[static_cast<std::size_t>(find_named(inputs.catalog.models, "gpt3-125m"))]
        .layers;
  };
  EXPECT_EQ(layers(read(head_)), 4);
  EXPECT_EQ(layers(read_sweep(temp_.sweep(head_), {temp_.folder().string()})), 12);
}

TEST_F(Includes, LetTheLaterFileHaveTheSay) {
  site(
      "include = [\"base.toml\"]\n[derive]\na = \"2\"\nb = \"2\"\n[[keep]]\nname = \"k\"\nexpr = \"tp < "
      "2\"\n");
  site("[derive]\na = \"1\"\nc = \"1\"\ndp = \"7\"\n[[limit]]\nmetric = \"mfu\"\nmin = 0.1\n", "base.toml");
  const auto spec =
      read(head_ + "dp = 1\n[derive]\nb = \"3\"\n[[limit]]\nmetric = \"mfu\"\nmin = 0.2\n").spec;
  std::vector<std::string> rules;
  for (const sweep::Rule& rule : spec.rules) rules.push_back(rule.name + "=" + rule.expression);
  EXPECT_THAT(rules, ElementsAre("c=1", "a=2", "k=tp < 2", "b=3"));  // dp is an axis of the sweep
  ASSERT_EQ(spec.limits.size(), 1u);
  EXPECT_EQ(spec.limits[0].min, "0.2");
}

TEST_F(Includes, AreWithinReachOfTheCommandLine) {
  site(
      "[[limit]]\nname = \"margin\"\nmetric = \"mfu\"\nmin = 0.1\n[[keep]]\nname = \"k\"\nexpr = \"tp < "
      "2\"\n");
  const auto spec = read_sweep(temp_.sweep(head_.substr(head_.find('\n'))), {},
                               {"limit.margin.min=0.3", "keep.k.expr=true", "include=[\"site.toml\"]"})
                        .spec;
  ASSERT_EQ(spec.limits.size(), 1u);
  EXPECT_THAT(read_sweep(temp_.sweep(head_), {}, {"limit.margin.min=0.37"}).resolved_toml, HasSubstr("0.37"));
  EXPECT_EQ(spec.limits[0], (sweep::Limit{"margin", "mfu", "", "0.3"}));
  ASSERT_EQ(spec.rules.size(), 1u);
  EXPECT_EQ(spec.rules[0].expression, "true");
}

TEST_F(Includes, AreReadOnceEach) {
  site("include = [\"base.toml\"]\n");
  site("include = [\"base.toml\"]\n", "other.toml");
  site("[[keep]]\nname = \"k\"\nexpr = \"tp < 2\"\n", "base.toml");
  const auto inputs =
      read("include = [\"site.toml\", \"other.toml\", \"./base.toml\"]\n" + head_.substr(head_.find('\n')));
  EXPECT_EQ(inputs.spec.rules.size(), 1u);
}

TEST_F(Includes, TellOfCyclesAndAbsentFiles) {
  site("include = [\"other.toml\"]\n");
  site("include = [\"site.toml\"]\n", "other.toml");
  EXPECT_THAT(told(head_), ElementsAre("other.toml:1 \"site.toml\" includes itself"));
  site("include = \"sweep.toml\"\n");
  EXPECT_THAT(told(head_), ElementsAre("site.toml:1 \"sweep.toml\" includes itself"));
  site("include = [\"nowhere.toml\", 3]\n");
  EXPECT_THAT(told(head_), ElementsAre(HasSubstr("nowhere.toml\" cannot be read"),
                                       "site.toml:1 include must be a list of files, not of an integer"));
}

TEST_F(Includes, NameTheFileOfEveryProblem) {
  site(
      "[space]\ntp = 1\n[search]\n[modles.x]\n[models]\ny = 3\n[gpus.g]\nsource = \"s\"\n[[keep]]\nname = "
      "\"k\"\nexpr = \"tpp > 1\"\n[[limit]]\nmetric = \"mfu\"\n");
  const auto lines = told(head_ + "tq = 1\n");
  for (const char* expected : {"site.toml:1 an included file must not contain \"space\"",
                               "site.toml:3 an included file must not contain \"search\"",
                               "site.toml:4 unknown key \"modles\" in an included file",
                               "site.toml:6 y must be a table, not an integer",
                               "site.toml:7 gpu \"g\" lacks \"memory\"", "site.toml:11 unknown name \"tpp\"",
                               "site.toml:12 this limit has no bound", "sweep.toml:6 unknown axis \"tq\""}) {
    EXPECT_THAT(lines, Contains(expected));
  }
  site("[space\n");
  EXPECT_THAT(told(head_), ElementsAre(HasSubstr("site.toml:1 this is not TOML")));
}

TEST_F(Includes, FindThePresetsOfTheUser) {
  support::write_file(temp_.root() / "config" / "echo-sweep" / "models" / "mine.toml",
                      "name = \"mine\"\n" + std::string(a_model));
  EXPECT_GE(find_named(read(head_.substr(head_.find('\n') + 1)).catalog.models, "mine"), 0);
}

}  // namespace
}  // namespace echo::config
