#include "launch_flags/readers/readers.hpp"

#include <gmock/gmock.h>

#include <map>

#include "launch_flags/facts.hpp"
#include "launch_flags/readers/shell_values.hpp"
#include "launch_flags/write.hpp"

namespace echo::launch_flags {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::map<std::string, std::string> as_map(const Settings& settings) {
  std::map<std::string, std::string> map;
  for (const Setting& setting : settings) map[setting.key] = setting.value;
  return map;
}

std::map<std::string, std::string> shell(const std::string& text) {
  Problems problems;
  const Settings settings = read_shell(text, "a.sh", problems);
  EXPECT_EQ(problems.errors(), 0);
  return as_map(settings);
}

TEST(Shell, FollowsVariablesArraysAndArithmetic) {
  const auto said = shell(
      "export NCCL_ALGO=Ring\nN=${NODES:-4}\nG=8\nWORLD=$(($G*$N))\nA=(\n  --micro-batch-size 2 # a comment\n"
      "  --global-batch-size $((WORLD * 2))\n)\nA+=(--bf16)\nB=\"--lr 1e-4 --recompute-modules mlp moe\"\n"
      "torchrun --nproc_per_node $G --nnodes $N pretrain_gpt.py \\\n  ${A[@]} $B --seq-length=4096\n");
  EXPECT_EQ(said.at("env:NCCL_ALGO"), "Ring");
  EXPECT_EQ(said.at("--nproc-per-node"), "8");
  EXPECT_EQ(said.at("--nnodes"), "4");
  EXPECT_EQ(said.at("--micro-batch-size"), "2");
  EXPECT_EQ(said.at("--global-batch-size"), "64");
  EXPECT_EQ(said.at("--bf16"), "true");
  EXPECT_EQ(said.at("--recompute-modules"), "mlp moe");
  EXPECT_EQ(said.at("--seq-length"), "4096");
  EXPECT_EQ(said.at("--lr"), "1e-4");
}

TEST(Shell, ReadsQuotedElementsAndBatchLinesAndPassesOverCase) {
  const auto said = shell(
      "#!/bin/bash\n#SBATCH --nodes=4 # four\n#SBATCH --gpus-per-node 8\ncase $1 in\n  --checkpoint-path) "
      "X=1;;\nesac\n"
      "ARGS=(\"--fp8-format hybrid\" '--split 99,1,0')\nif true; then\n  ARGS+=(--fp16)\nfi\n"
      "python train.py \"${ARGS[@]}\" --moe-layer-freq ([0]*3+[1]*58) --min-lr -1.5\n");
  EXPECT_EQ(said.at("--nodes"), "4");
  EXPECT_EQ(said.at("--gpus-per-node"), "8");
  EXPECT_EQ(said.at("--fp8-format"), "hybrid");
  EXPECT_EQ(said.at("--split"), "99,1,0");
  EXPECT_EQ(said.at("--fp16"), "true");
  EXPECT_EQ(said.at("--moe-layer-freq"), "([0]*3+[1]*58)");
  EXPECT_EQ(said.at("--min-lr"), "-1.5");
  EXPECT_FALSE(said.contains("--checkpoint-path"));
}

TEST(Shell, KnowsThePlaceOfEachSetting) {
  Problems problems;
  const Settings settings = read_shell("A=(\n   --tp 2\n)\nrun ${A[@]}\n", "a.sh", problems);
  ASSERT_EQ(settings.size(), 1U);
  EXPECT_EQ(settings[0].place.line, 2);
  EXPECT_EQ(settings[0].place.column, 4);
}

TEST(Shell, EndsOnVariablesThatDoubleEachOther) {
  std::string text = "A=\"--x --x\"\n";
  for (int i = 0; i < 40; ++i) text += "A=\"$A $A\"\n";
  Problems problems;
  (void)read_shell(text + "run $A\n", "a.sh", problems);
  EXPECT_EQ(problems.errors(), 1);
}

TEST(Shell, ComputesAsTheShellDoes) {
  ShellVariables variables{{"N", {{"6", {}, ShellWord::Kind::word}}}};
  EXPECT_EQ(arithmetic(" N * (2 + 3) - $N / 4 ", variables), 29);
  EXPECT_EQ(arithmetic("1 / 0", variables), std::nullopt);
  EXPECT_EQ(arithmetic("9999999999999 * 9999999999999", variables), std::nullopt);
  EXPECT_EQ(arithmetic("2 +", variables), std::nullopt);
}

TEST(Yaml, GivesPathsListsReferencesAndClasses) {
  Problems problems;
  const auto said = as_map(read_yaml(
      "a:\n  b: 1\n  list: [x, y]\n  same: ${a.b}\ncallbacks:\n- _target_: p.q.Overlap\n  on: true\n- n: ~\n",
      "a.yaml", problems));
  EXPECT_EQ(problems.errors(), 0);
  EXPECT_EQ(said.at("a.b"), "1");
  EXPECT_EQ(said.at("a.list"), "x y");
  EXPECT_EQ(said.at("a.same"), "1");
  EXPECT_EQ(said.at("callbacks.[Overlap].on"), "true");
  EXPECT_EQ(said.at("callbacks.1.n"), "null");
}

TEST(Yaml, ReportsTheFirstFaultWithItsPlace) {
  Problems problems;
  EXPECT_THAT(read_yaml("a: [1\nb: 2\n", "a.yaml", problems), IsEmpty());
  ASSERT_EQ(problems.errors(), 1);
  EXPECT_GE(problems.list()[0].place.line, 1);
  Problems of_scalar;
  (void)read_yaml("just text", "a.yaml", of_scalar);
  EXPECT_EQ(of_scalar.errors(), 1);
}

TEST(Yaml, EndsOnAliasesThatMultiply) {
  std::string text = "a: &a [1, 2, {x: 1}]\n";
  for (char c = 'b'; c < 'j'; ++c)
    text += std::string(1, c) + ": &" + c + " [*" + static_cast<char>(c - 1) + ", *" +
            static_cast<char>(c - 1) + ", *" + static_cast<char>(c - 1) + ", *" + static_cast<char>(c - 1) +
            "]\n";
  Problems problems;
  (void)read_yaml(text, "a.yaml", problems);
  EXPECT_EQ(problems.errors(), 1);
}

TEST(Json, GivesPathsWithPlacesAndReportsFaults) {
  Problems problems;
  const Settings settings =
      read_json("{\n\t\"zero\": {\"stage\": 3},\n\t\"list\": [1, 2]\n}\n", "a.json", problems);
  ASSERT_EQ(settings.size(), 2U);
  EXPECT_EQ(settings[0].key, "zero.stage");
  EXPECT_EQ(settings[0].value, "3");
  EXPECT_EQ(settings[0].place.line, 2);
  EXPECT_EQ(settings[1].value, "1 2");
  Problems of_fault;
  (void)read_json("{\"a\": 1,\n \"b\" 2}", "a.json", of_fault);
  ASSERT_EQ(of_fault.errors(), 1);
  EXPECT_EQ(of_fault.list()[0].place.line, 2);
  Problems of_number;
  (void)read_json("{\"a\": 1,\n \"b\": 1e999}", "a.json", of_number);
  ASSERT_EQ(of_number.errors(), 1);
  EXPECT_EQ(of_number.list()[0].what, "a number is out of range");
  EXPECT_EQ(of_number.list()[0].place.line, 2);
  EXPECT_EQ(of_number.list()[0].place.column, 7);
  Problems of_depth;
  (void)read_json(std::string(100000, '['), "a.json", of_depth);
  EXPECT_EQ(of_depth.errors(), 1);
}

TEST(Comments, HoldTheEnvironment) {
  EXPECT_EQ(exported_in_comments("# export NCCL_ALGO=Ring\nx: 1\n# a comment: export A=1\n", "a").size(), 1U);
  const Settings of_json = exported_in_comments("{\n  \"_comment\": [\n    \"export NCCL_PROTO=LL\",\n", "a");
  ASSERT_EQ(of_json.size(), 1U);
  EXPECT_EQ(of_json[0].key, "env:NCCL_PROTO");
  EXPECT_EQ(of_json[0].value, "LL");
}

TEST(MoeLayers, AreReadAndWrittenAsMegatronLmWritesThem) {
  training::ModelSpec model;
  model.layers = 61;
  for (const char* text : {"([0]*3+[1]*58)", "[0]*3+[1]*58"}) {
    model.first_dense_layers = 0;
    ASSERT_TRUE(read_moe_layers(text, model)) << text;
    EXPECT_EQ(model.first_dense_layers, 3);
    EXPECT_EQ(model.moe_interval, 1);
    EXPECT_EQ(moe_layers_text(model), "([0]*3+[1]*58)");
  }
  EXPECT_TRUE(read_moe_layers("1", model));
  EXPECT_EQ(moe_layers_text(model), "1");
  for (const char* text : {"", "[0]*3", "[2]*61", "([1]*61", "[1]*99999999", "[[1]]*61", "0"})
    EXPECT_FALSE(read_moe_layers(text, model)) << text;
}

// Every first dense layer and interval of every depth is written and read back as the layers it means.
TEST(MoeLayers, KeepTheLayersThatTheyMean) {
  for (std::int32_t layers = 1; layers < 20; ++layers)
    for (std::int32_t first = 0; first < layers; ++first)
      for (std::int32_t interval = 1; interval < 6; ++interval) {
        training::ModelSpec model, again;
        model.layers = again.layers = layers;
        model.experts = again.experts = 8;
        model.first_dense_layers = first;
        model.moe_interval = interval;
        if (training::moe_layers(model, 0, layers) == 0) continue;
        if (!read_moe_layers(moe_layers_text(model), again))
          continue;  // one layer with experts at an odd place
        for (std::int32_t i = 0; i < layers; ++i)
          EXPECT_EQ(training::layer_kind(again, i), training::layer_kind(model, i)) << layers << " " << first;
      }
}

}  // namespace
}  // namespace echo::launch_flags
