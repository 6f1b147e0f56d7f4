// [workload]: what it makes of a trace, and what it refuses.
#include <fstream>

#include "base/named_table.hpp"
#include "sweep/space/config_id.hpp"
#include "sweep/space/design_space.hpp"
#include "tests/unit/config/sweep_fixture.hpp"

namespace echo::config {
namespace {

using sweep::Axis;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Workload : public ::testing::Test {
 protected:
  void SetUp() override {
    write("job.jsonl",
          "{\"echo_trace\": 1, \"world\": 4, \"gpu\": \"NVIDIA H100 80GB HBM3\", \"groups\": [{\"name\": "
          "\"dp\", "
          "\"role\": \"data\", \"ranks\": [0, 2]}, {\"name\": \"tp\", \"role\": \"tensor\", \"ranks\": [0, "
          "1]}, "
          "{\"name\": \"odd\", \"ranks\": [0, 1, 2, 3]}]}\n{\"rank\": 0, \"stands_for\": [0, 1, 2, 3]}\n"
          "{\"kernel\": {\"kind\": \"gemm\", \"m\": 512, \"n\": 512, \"k\": 512}, \"duration_ns\": 9000}\n"
          "{\"kind\": \"collective\", \"collective\": \"all_reduce\", \"group\": \"dp\", \"bytes\": 1048576, "
          "\"needs\": [0]}\n");
  }
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path folder = std::filesystem::path(temp_.sweep("")).parent_path();
    std::ofstream(folder / name) << text;
  }
  // Line 1 is [workload], line 2 the trace.
  [[nodiscard]] static std::string with(const std::string& workload, const std::string& space) {
    return "[workload]\ntrace = \"job.jsonl\"\n" + workload + "[space]\ncluster = \"h800-96\"\n" + space;
  }
  [[nodiscard]] SweepInputs read(const std::string& workload, const std::string& space = "") const {
    return read_sweep(temp_.sweep(with(workload, space)));
  }
  [[nodiscard]] std::vector<std::string> problems(const std::string& workload,
                                                  const std::string& space = "") const {
    return temp_.problems(with(workload, space));
  }
  // The only point of the space, or one of them.
  [[nodiscard]] static training::TrainingConfig config(const SweepInputs& inputs, std::int64_t point = 0) {
    const sweep::DesignSpace space(inputs.spec, inputs.catalog);
    return space.at(point);
  }
  support::TempCatalog temp_;
};

TEST_F(Workload, IsAModelOfItsNameWithTheDegreesOfTheTrace) {
  const SweepInputs inputs = read("");
  const training::TrainingConfig c = config(inputs);
  EXPECT_EQ(inputs.catalog.model(c.model).name, "job");
  ASSERT_FALSE(inputs.catalog.model(c.model).trace.is_none());
  EXPECT_EQ(inputs.catalog.traces.at(0).gpu, "h100-sxm");
  EXPECT_EQ(c.degrees.tensor, 2);
  EXPECT_EQ(c.degrees.data, 2);
  EXPECT_EQ(training::gpus_of(c.degrees), 4);
  EXPECT_EQ(c.batch.sequence_tokens, 0);  // not known
  EXPECT_EQ(inputs.files[inputs.files.size() - 1].kind, "trace");
  EXPECT_THAT(inputs.resolved_toml, HasSubstr(inputs.files.back().hash));
  ASSERT_EQ(inputs.spec.objectives.size(), 1U);
  EXPECT_EQ(inputs.spec.objectives[0].metric, "step_time");
}

TEST_F(Workload, GrowsByDpOrByGpus) {
  EXPECT_EQ(training::gpus_of(config(read("", "dp = 8\n")).degrees), 16);
  EXPECT_EQ(config(read("", "gpus = 32\n")).degrees.data, 16);
}

TEST_F(Workload, CountsTokensOfTheGrownJob) {
  const training::TrainingConfig c = config(read("tokens = \"4096 tokens\"\n", "dp = 8\n"));
  EXPECT_EQ(c.batch.global_samples, 16384);
  EXPECT_EQ(c.batch.sequence_tokens, 1);
  EXPECT_EQ(training::microbatches_of(c), 1);
}

TEST_F(Workload, MayStandOnOneLine) {
  const auto inputs = read_sweep(temp_.sweep(
      "workload = { trace = \"job.jsonl\", times = \"priced\" }\n[space]\ncluster = \"h800-96\"\n"));
  EXPECT_FALSE(inputs.catalog.traces.at(0).ranks.at(0).nodes.at(0).is_timed());
}

TEST_F(Workload, TakesTimesAsTracedWhereAsked) {
  const SweepInputs inputs = read("times = \"traced\"\n");
  const trace::Trace& trace = inputs.catalog.traces.at(0);
  EXPECT_EQ(trace.gpu, "");
  EXPECT_EQ(trace.ranks.at(0).nodes.at(0).kernel, -1);
  EXPECT_EQ(trace.ranks.at(0).nodes.at(0).flops, 2.0 * 512 * 512 * 512);
  EXPECT_EQ(trace.ranks.at(0).nodes.at(0).duration, SimTime(9'000'000));
}

TEST_F(Workload, GrowsTheGroupsThatAreNamed) {
  const SweepInputs inputs = read("data_groups = [\"odd\"]\n");
  const trace::Trace& trace = inputs.catalog.traces.at(0);
  EXPECT_EQ(trace.groups[2].role, trace::GroupRole::data);
  EXPECT_EQ(trace.groups[0].role, trace::GroupRole::unknown);
  EXPECT_THAT(problems("data_groups = [\"dq\"]\n"), ElementsAre(HasSubstr("no group \"dq\"")));
}

TEST_F(Workload, AsksForTheGpuOfTimesThatNoShapeExplains) {
  write("job.jsonl",
        "{\"echo_trace\": 1, \"world\": 1}\n{\"rank\": 0}\n{\"duration_ns\": 5}\n{\"kernel\": {\"kind\": "
        "\"gemm\", "
        "\"m\": 512, \"n\": 512, \"k\": 512}, \"duration_ns\": 9000}\n");
  EXPECT_THAT(problems(""),
              ElementsAre(AllOf(HasSubstr("2:10 "), HasSubstr("1 of 2 ops have a time and no known shape"),
                                HasSubstr("does not name the GPU"), HasSubstr("add gpu ="))));
  EXPECT_THAT(problems("times = \"priced\"\n"), ElementsAre(HasSubstr("does not name the GPU")));
  EXPECT_THAT(problems("gpu = \"h101-sxm\"\n"),
              ElementsAre(AllOf(HasSubstr("3:8 unknown GPU"), HasSubstr("h100-sxm"))));
  EXPECT_EQ(read("gpu = \"h100-sxm\"\n").catalog.traces.at(0).gpu, "h100-sxm");
  EXPECT_EQ(read("gpu = \"NVIDIA H100 80GB HBM3\"\n").catalog.traces.at(0).gpu, "h100-sxm");
  EXPECT_EQ(read("times = \"traced\"\n").catalog.traces.at(0).gpu, "");
}

TEST_F(Workload, TakesNoOtherGpuThanTheTraceNames) {
  EXPECT_THAT(problems("gpu = \"a100-sxm-80gb\"\n"),
              ElementsAre(AllOf(HasSubstr("3:8 "), HasSubstr("recorded on h100-sxm, not on a100-sxm-80gb"))));
  EXPECT_EQ(read("gpu = \"h100-sxm\"\n").catalog.traces.at(0).gpu, "h100-sxm");
}

TEST_F(Workload, AsksForGroupsByNameWhereItIsToGrow) {
  write("job.jsonl",
        "{\"echo_trace\": 1, \"world\": 4, \"groups\": [{\"name\": \"one\", \"ranks\": [0, 2]}, {\"name\": "
        "\"two\", "
        "\"ranks\": [0, 1]}]}\n{\"rank\": 0}\n{\"kind\": \"collective\", \"collective\": \"all_reduce\", "
        "\"group\": "
        "\"one\", \"bytes\": 1024}\n");
  EXPECT_THAT(problems("", "dp = [1, 8]\n"),
              ElementsAre(AllOf(HasSubstr("1:1 "), HasSubstr("dp = 8 needs groups"),
                                HasSubstr("\"one\" (2 ranks), \"two\" (2 ranks)"))));
  EXPECT_THAT(problems("", "gpus = 16\n"), ElementsAre(HasSubstr("gpus = 16 needs groups")));
  EXPECT_THAT(problems("", "gpus = 4\n"), IsEmpty());
  EXPECT_EQ(training::gpus_of(config(read("data_groups = \"one\"\n", "dp = 8\n")).degrees), 16);
}

TEST_F(Workload, RefusesAxesThatTheTraceSettles) {
  EXPECT_THAT(
      problems("", "tp = 2\nmicro_batch = [1, 2]\nmodel = \"gpt3-175b\"\nnccl_algo = \"ring\"\n"),
      ElementsAre(HasSubstr("tp is fixed by the trace"), HasSubstr("micro_batch is fixed by the trace"),
                  HasSubstr("a model cannot be combined with [workload]")));
  EXPECT_THAT(problems("", "dp = 2\n[derive]\npp = \"dp\"\n"),
              ElementsAre(HasSubstr("pp is fixed by the trace")));
  EXPECT_THAT(problems("", "[[space.group]]\ndp = 2\n[[space.group]]\nzero = 1\n"),
              ElementsAre(HasSubstr("zero is fixed by the trace")));
}

TEST_F(Workload, SaysWhatIsWrongWithItsFile) {
  EXPECT_THAT(temp_.problems("[workload]\ntrace = \"none.jsonl\"\n[space]\ncluster = \"h800-96\"\n"),
              ElementsAre(HasSubstr("there is no file or folder")));
  EXPECT_THAT(temp_.problems("[workload]\ntokens = \"1 tokens\"\n[space]\ncluster = \"h800-96\"\n").front(),
              HasSubstr("lacks trace"));
  EXPECT_THAT(problems("format = \"eco\"\n"), ElementsAre(HasSubstr("unknown trace format \"eco\"")));
  write("job.jsonl", "{\"echo_trace\": 1, \"world\": 1}\n{\"rank\": 0}\n{\"kind\": \"nonsense\"}\n");
  EXPECT_THAT(problems("").front(), HasSubstr("3:20 kind \"nonsense\""));
}

TEST_F(Workload, SaysWhichRanksCannotMeet) {
  const auto rank = [](int r, const char* kind) {
    return "{\"rank\": " + std::to_string(r) + "}\n{\"kind\": \"collective\", \"collective\": \"" + kind +
           "\", \"group\": \"dp\", \"bytes\": 1024}\n";
  };
  write("job.jsonl",
        "{\"echo_trace\": 1, \"world\": 2, \"groups\": [{\"name\": \"dp\", \"ranks\": [0, 1]}]}\n" +
            rank(0, "all_reduce") + rank(1, "all_gather"));
  EXPECT_THAT(problems(""),
              ElementsAre(HasSubstr("all_reduce (node 0) on gpu rank 0 and all_gather (node 0) on "
                                    "gpu rank 1")));
}

TEST_F(Workload, NamesConfigsByWhatTheTraceHolds) {
  const auto id = [this](const std::string& workload) {
    const SweepInputs inputs = read(workload);
    return sweep::config_id_of(config(inputs), inputs.catalog);
  };
  const std::uint64_t plain = id("");
  EXPECT_EQ(id(""), plain);
  EXPECT_NE(id("times = \"priced\"\n"), plain);
  EXPECT_NE(id("data_groups = \"odd\"\n"), plain);
  const SweepInputs inputs = read("");
  training::TrainingConfig c = config(inputs);
  c.zero = training::ZeroStage::gradients, c.recipe.fsdp_prefetch = 3;
  EXPECT_EQ(sweep::config_id_of(c, inputs.catalog), plain);  // they say nothing to a trace
  c.recipe.nccl_algo = ops::NcclAlgorithm::ring;
  EXPECT_NE(sweep::config_id_of(c, inputs.catalog), plain);
}

}  // namespace
}  // namespace echo::config
