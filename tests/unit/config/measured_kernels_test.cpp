#include "config/measured/measured_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/counter_rng.hpp"
#include "tests/support/random_config.hpp"

namespace echo::config {
namespace {

using ops::KernelKind;
using ::testing::HasSubstr;

const std::string gemm = "gpu,library,dtype,m,n,k,latency_us\n";
const std::string attention =
    "gpu,library,dtype,batch_size,seq_len,num_heads,num_key_value_heads,head_dim,latency_us\n";
const std::string experts =
    "gpu,library,dtype,num_tokens,hidden_size,inter_size,topk,num_experts,moe_tp_size,moe_ep_size,"
    "distribution,"
    "latency_us\n";
const std::string training = "gpu,op,peak_tflops,efficiency,description\n";
const std::string layers =
    "gpu,op,num_tokens,hidden,ffn_hidden,heads,kv_heads,gated_ffn,vocab,tp,latency_us\n";

std::vector<MeasuredKernel> read(const std::string& text) {
  const CsvTable table = CsvTable::parse(text, "t.csv");
  const auto kind = kernel_table_of(table);
  EXPECT_TRUE(kind) << text;
  return read_measured_kernels(table, *kind, support::presets());
}

MeasuredKernel only(const std::string& text) {
  const auto rows = read(text);
  EXPECT_EQ(rows.size(), 1U);
  return rows.at(0);
}

// "line: what" of every problem.
std::vector<std::string> problems(const std::string& text) {
  std::vector<std::string> lines;
  try {
    (void)read(text);
  } catch (const UserError& error) {
    for (const Problem& problem : error.problems()) {
      EXPECT_EQ(problem.place.file, "t.csv");
      EXPECT_FALSE(problem.remedy.empty());
      lines.push_back(std::to_string(problem.place.line) + ": " + problem.what);
    }
  }
  return lines;
}

TEST(KernelTables, AreToldApartByTheirHeaders) {
  const auto kind_of = [](const std::string& header) {
    return kernel_table_of(CsvTable::parse(header, "t.csv"));
  };
  EXPECT_EQ(kind_of(gemm), KernelTable::gemm);
  EXPECT_EQ(kind_of(attention), KernelTable::attention);
  EXPECT_EQ(kind_of(experts), KernelTable::experts);
  EXPECT_EQ(kind_of(training), KernelTable::training_efficiency);
  EXPECT_EQ(kind_of(layers), KernelTable::layer_ops);
  EXPECT_EQ(kind_of("latency_us,k,n,m,dtype,library,gpu,note\n"),
            KernelTable::gemm);  // in any order, and more
  EXPECT_EQ(kind_of("gpu,library,dtype,m,n,latency_us\n"), std::nullopt);
  EXPECT_EQ(kind_of("row_id,step_time_s\n"), std::nullopt);
}

TEST(KernelTables, EveryFormIsRecognisedByItsOwnColumnsOnly) {
  for (const KernelTableForm& form : kernel_table_forms()) {
    std::string header;
    for (const char* column : form.needs)
      if (column != nullptr) header += (header.empty() ? "" : ",") + std::string(column);
    EXPECT_EQ(kernel_table_of(CsvTable::parse(header + "\n", "t.csv")), form.kind) << form.name;
    EXPECT_EQ(&form_of(form.kind), &form);
  }
}

TEST(MeasuredKernels, AProductIsItsShapeInSecondsWithItsLine) {
  const MeasuredKernel row = only(gemm + "h100-sxm,sglang,fp8,1024,2048,4096,12.5\n");
  EXPECT_EQ(row.key, (ops::KernelKey{.kind = KernelKind::gemm,
                                     .precision = machine::Precision::fp8,
                                     .library = ops::KernelLibrary::sglang,
                                     .m = 1024,
                                     .n = 2048,
                                     .k = 4096}));
  EXPECT_DOUBLE_EQ(row.seconds, 12.5e-6);
  EXPECT_EQ(row.line, 2);
  EXPECT_EQ(row.tokens, 1024);
  EXPECT_EQ(row.scope, kernels::RowScope::serving);
  EXPECT_EQ(row.skipped, "");
}

TEST(MeasuredKernels, EfficiencyBecomesTheTimeItStandsFor) {
  const MeasuredKernel row = only(training +
                                  "b200-sxm,matmul,2000,0.5,\"b=1, m=1000, k=2000, n=1000, layout=NT, "
                                  "accumulate=True, out_dtype=fp32\"\n");
  EXPECT_EQ(row.key.layout, ops::GemmLayout::nt);
  EXPECT_TRUE(row.key.fp32_accumulate);
  EXPECT_DOUBLE_EQ(row.efficiency, 0.5);
  EXPECT_DOUBLE_EQ(row.seconds, 4e9 / 1e15);
  EXPECT_EQ(row.scope, kernels::RowScope::kernel);
}

TEST(MeasuredKernels, AccuracyIsClaimedForTheShapesOfTraining) {
  const auto in_region = [](const std::string& text) { return only(text).in_region; };
  EXPECT_TRUE(in_region(gemm + "h100-sxm,sglang,bfloat16,512,512,512,1\n"));
  for (const char* shape : {"511,512,512", "512,511,512", "512,512,511"})
    EXPECT_FALSE(in_region(gemm + "h100-sxm,sglang,bfloat16," + shape + ",1\n"));
  EXPECT_TRUE(in_region(attention + "h100-sxm,sglang,bfloat16,2,1024,32,8,128,1\n"));
  EXPECT_FALSE(in_region(attention + "h100-sxm,sglang,bfloat16,1,1024,32,8,128,1\n"));
  EXPECT_TRUE(in_region(experts + "h100-sxm,sglang,bfloat16,1024,4096,1536,8,128,1,8,balanced,100\n"));
  EXPECT_FALSE(in_region(experts + "h100-sxm,sglang,bfloat16,1023,4096,1536,8,128,1,8,balanced,100\n"));
  EXPECT_TRUE(in_region(layers + "h100-sxm,add,1024,4096,16384,32,8,True,32000,1,9\n"));
  EXPECT_FALSE(in_region(layers + "h100-sxm,add,1023,4096,16384,32,8,True,32000,1,9\n"));
}

TEST(MeasuredKernels, WhatIsNotPricedIsSkippedWithItsReason) {
  const std::string shape = ",512,512,512,1\n";
  EXPECT_EQ(only(gemm + "tpu-v9,sglang,bfloat16" + shape).skipped, "no preset for gpu tpu-v9");
  EXPECT_EQ(only(gemm + "h100-sxm,sglang,int4_wo" + shape).skipped, "dtype int4_wo");
  EXPECT_EQ(only(gemm + "a100-sxm-80gb,sglang,fp8" + shape).skipped, "the GPU has no fp8");
  EXPECT_EQ(only(experts + "h100-sxm,sglang,bfloat16,1024,4096,1536,8,128,1,8,zipf,100\n").skipped,
            "distribution zipf");
  EXPECT_EQ(only(training + "b200-sxm,bandwidth:ce,,0.7,\"\"\n").skipped, "op bandwidth:ce");
  EXPECT_EQ(only(layers + "h100-sxm,tea,64,4096,16384,32,8,True,32000,1,9\n").skipped, "op tea");
}

TEST(MeasuredKernels, ALibraryThatNobodyKnowsKeepsItsName) {
  const MeasuredKernel row = only(gemm + "h100-sxm,vllm,bfloat16,512,512,512,1\n");
  EXPECT_EQ(row.library, "vllm");
  EXPECT_EQ(row.key.library, ops::KernelLibrary::training);
  EXPECT_EQ(row.skipped, "");
}

TEST(MeasuredKernels, CellsThatCannotBeAreToldInOnePassWithTheirLines) {
  EXPECT_THAT(
      problems(gemm + "h100-sxm,sglang,bfloat16,512,512,512,1\n"
                      "h100-sxm,sglang,bfloat16,512,512,512,\n"
                      "h100-sxm,sglang,bfloat16,512,512,512,nan\n"
                      "h100-sxm,sglang,bfloat16,512,512,512,-3\n"
                      "h100-sxm,sglang,bfloat16,0,512,512,1\n"
                      "h100-sxm,sglang,bfloat16,512,5e11,512,1\n"
                      "h100-sxm,sglang,bfloat16,512,512,3.5,1\n"
                      "h100-sxm,sglang,bfloat16,512,512,many,1\n"),
      ::testing::ElementsAre("3: column latency_us is blank", "4: column latency_us: \"nan\" is not a number",
                           "5: column latency_us: -3 is not above zero", "6: column m: 0 is not above zero",
                           "7: n is not a number from 1 to 2 147 483 647", "8: column k needs a whole number",
                           "9: column k: \"many\" is not a number"));
  EXPECT_THAT(problems(attention + "h100-sxm,sglang,bfloat16,100000,512,100000,8,128,1\n"),
              ::testing::ElementsAre(HasSubstr("batch_size x num_heads is not a number")));
  EXPECT_THAT(
      problems(experts + "h100-sxm,sglang,bfloat16,1024,4096,1536,16,8,1,1,balanced,100\n" +
               "h100-sxm,sglang,bfloat16,1024,4096,1536,2,8,1,3,balanced,100\n" +
               "h100-sxm,sglang,bfloat16,100000000,4096,1536,2,8,1,1,balanced,100\n"),
      ::testing::ElementsAre("2: topk is above num_experts", "3: num_experts is not divisible by moe_ep_size",
                           "4: the shape is larger than any GPU holds"));
  EXPECT_THAT(problems(training + "b200-sxm,matmul,2000,0.5,\"b=1, k=2000, n=1000\"\n" +
                       "b200-sxm,matmul,2000,-1,\"b=1, m=1, k=2000, n=1000\"\n"),
              ::testing::ElementsAre("2: the description gives no number for m",
                                   "3: column efficiency: -1 is not above zero"));
  EXPECT_THAT(problems(layers + "h100-sxm,mlp_act,64,1,1,32,8,True,32000,4,9\n"),
              ::testing::ElementsAre("2: the width of mlp_act is not a number from 1 to 2 147 483 647"));
}

TEST(MeasuredKernels, ShapesAndTimesBeyondAnyGpuAreRefused) {
  const std::string most = "2147483647";
  EXPECT_THAT(problems(gemm + "h100-sxm,sglang,bfloat16," + most + "," + most + "," + most + ",1\n" +
                       "h100-sxm,sglang,bfloat16,512,512,512,1e-300\n" +
                       "h100-sxm,sglang,bfloat16,512,512,512,1e300\n"),
              ::testing::ElementsAre("2: the shape is larger than any GPU holds",
                                   "3: the time is not possible for a kernel",
                                   "4: the time is not possible for a kernel"));
  EXPECT_THAT(problems(attention + "h100-sxm,sglang,bfloat16,1," + most + ",1,1,128,1\n"),
              ::testing::ElementsAre("2: the shape is larger than any GPU holds"));
}

TEST(MeasuredKernels, ATableFullOfMistakesIsToldByItsFirstTwenty) {
  std::string text = gemm;
  for (int i = 0; i < 100; ++i) text += "h100-sxm,sglang,bfloat16,512,512,512,\n";
  EXPECT_EQ(problems(text).size(), 20U);
}

// Rows of every form that are right but for two cells.
const std::string right_rows[] = {
    gemm + "h100-sxm,sglang,fp8,1024,2048,4096,12.5",
    attention + "h100-sxm,sglang,bfloat16,2,1024,32,8,128,170",
    experts + "h100-sxm,sglang,bfloat16,4096,4096,1536,8,128,1,8,power_law_1.2,700",
    training + "b200-sxm,matmul,2250,0.5,\"b=1, m=8, k=16, n=24, layout=NT, accumulate=True\"",
    training + "b200-sxm,group_matmul,2250,0.5,\"ng=4, M=8, N=16, K=24, stage=bwd_grad_w, accumulate=True\"",
    training +
        "b200-sxm,sdp_bwd,2250,0.5,\"batch=1, seq_len=64, head_num=8, kv_head_num=2, qk_head_dim=64, "
        "v_head_dim=32\"",
    layers + "h100-sxm,mlp_act,2048,4096,16384,32,8,True,32000,2,9"};
const std::string cells[] = {"",          "-1",         "0",
                             "0.5",       "1",          "3",
                             "3.5",       "8",          "64",
                             "16384",     "2147483647", "2147483648",
                             "1e300",     "-1e300",     "1e-300",
                             "nan",       "inf",        "x",
                             "True",      "b200-sxm",   "vllm",
                             "fp8",       "balanced",   "add",
                             "attn_rope", "sdp_fwd",    "\"b=1, m=7, k=1e30, n=, =\"",
                             "\"\"\"\""};

// Whatever stands in the cells, reading ends in rows that can be priced, or in a UserError.
TEST(MeasuredKernels, AnyCellsAreRowsOrAUserError) {
  std::uint64_t next = 0;
  int priced = 0, refused = 0;
  for (const std::string& right : right_rows) {
    const std::size_t begin = right.find('\n') + 1, quote = std::min(right.find('"'), right.size());
    for (int i = 0; i < 1000; ++i) {
      std::string text = right;
      for (int change = 0; change < 2; ++change) {
        std::size_t at = begin + draw(7, 0, next++) % (quote - begin);  // a cell before any that is quoted
        at = std::max(begin, text.rfind(',', at) + 1);
        const std::size_t end = std::min(text.find_first_of(",\n", at), text.size());
        text.replace(at, end - at, cells[draw(7, 1, next++) % std::size(cells)]);
      }
      try {
        for (const MeasuredKernel& row : read(text + "\n")) {
          if (!row.skipped.empty()) continue;
          EXPECT_GT(row.seconds, 0.0);
          EXPECT_GE(std::min({row.key.m, row.key.n, row.key.k, row.key.batch, row.key.groups}), 1) << text;
          const auto& catalog = support::presets();
          const auto& gpu = catalog.catalog.gpus[static_cast<std::size_t>(row.gpu)];
          const auto constants = find_named(catalog.calibration.kernels, gpu.kernels);
          EXPECT_GT(kernels::price_row(row.key, row.scope, gpu,
                                       catalog.calibration.kernels[static_cast<std::size_t>(constants)])
                        .alone,
                    SimTime::zero())
              << text;
          ++priced;
        }
      } catch (const UserError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(priced, 200);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace echo::config
