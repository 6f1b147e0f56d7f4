#include "trace_io/lines/echo_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/support/random_trace.hpp"
#include "tests/support/scratch_files.hpp"

namespace echo::trace_io {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* job =
    "{\"echo_trace\": 1, \"world\": 4, \"groups\": [{\"name\": \"dp\", \"ranks\": [0, 2]}]}\n";

trace::Trace read(const echo::testing::ScratchFiles& files, const std::string& text) {
  return read_trace({files.write("t.jsonl", text)});
}

std::vector<Problem> problems_of(const std::string& text) {
  const echo::testing::ScratchFiles files;
  try {
    static_cast<void>(read(files, text));
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 2);
    return error.problems();
  }
  ADD_FAILURE() << "it was read: " << text;
  return {{}};
}

TEST(EchoLines, WhatIsWrittenIsReadAgain) {
  const echo::testing::ScratchFiles files;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const trace::Trace drawn = echo::testing::RandomTrace(seed).draw();
    ASSERT_EQ(trace::why_unsound(drawn), "") << "seed " << seed;
    const std::string path = files.path(seed % 2 == 0 ? "t.jsonl" : "t.jsonl.gz");
    write_echo_lines(drawn, path);
    EXPECT_EQ(read_echo_lines({path}), drawn) << "seed " << seed;
  }
}

TEST(EchoLines, ItsFilesAreRecognisedAndItsGzipIsGzip) {
  const echo::testing::ScratchFiles files;
  const trace::Trace drawn = echo::testing::RandomTrace(3).draw();
  write_echo_lines(drawn, files.path("t.jsonl.gz"));
  EXPECT_EQ(files.text("t.jsonl.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(read_trace({files.path("t.jsonl.gz")}).format, "echo");
}

TEST(EchoLines, ALineOfDefaultsIsAComputeOp) {
  const echo::testing::ScratchFiles files;
  const trace::Trace trace = read(files, std::string(job) + "{\"rank\": 2}\n{}\n{\"needs\": [0]}\n");
  ASSERT_EQ(trace.ranks.size(), 1U);
  EXPECT_EQ(trace.ranks[0].stands_for, std::vector<std::int32_t>{2});
  ASSERT_EQ(trace.ranks[0].nodes.size(), 2U);
  EXPECT_EQ(trace.ranks[0].nodes[0], trace::Node{});
  EXPECT_EQ(trace.ranks[0].nodes[1].id, 1);
  EXPECT_EQ(trace.ranks[0].needs.row(1).front(), 0);
  write_echo_lines(trace, files.path("u.jsonl"));
  EXPECT_THAT(files.text("u.jsonl"), HasSubstr("{\"rank\": 2}\n{}\n{\"needs\": [0]}\n"));
}

TEST(EchoLines, AKernelGoesByTheColumnsOfAProfile) {
  const echo::testing::ScratchFiles files;
  const trace::Trace trace =
      read(files, std::string(job) +
                      "{\"rank\": 0}\n{\"kernel\": {\"kind\": \"gemm\", \"layout\": \"nt\", \"m\": 8192}, "
                      "\"duration_ns\": 1234.5, \"pass\": \"backward\"}\n");
  EXPECT_EQ(trace.kernels.at(0).layout, ops::GemmLayout::nt);
  EXPECT_EQ(trace.kernels.at(0).m, 8192);
  EXPECT_EQ(trace.ranks[0].nodes[0].duration, SimTime(1'234'500));
  EXPECT_EQ(trace.ranks[0].nodes[0].pass, trace::Pass::backward);
}

TEST(EchoLines, WhoRecordedItIsWrittenAgain) {
  const echo::testing::ScratchFiles files;
  const trace::Trace trace =
      read(files, "{\"echo_trace\": 1, \"world\": 1, \"source\": \"torch 2.9, fake\"}\n");
  write_echo_lines(trace, files.path("u.jsonl"));
  EXPECT_EQ(files.text("u.jsonl"), "{\"echo_trace\": 1, \"world\": 1, \"source\": \"torch 2.9, fake\"}\n");
}

TEST(EchoLines, EveryMistakeIsSaidWithItsLine) {
  const auto problems =
      problems_of(std::string(job) +
                  "{\"rank\": 0}\n"
                  "{\"knid\": \"compute\"}\n"
                  "{\"kind\": \"collective\", \"collective\": \"all_reduce\", \"group\": \"tp\"}\n"
                  "{\"needs\": [7]}\n"
                  "{\"duration_ns\": -1}\n");
  ASSERT_EQ(problems.size(), 4U);
  EXPECT_EQ(problems[0].place.line, 3);
  EXPECT_THAT(problems[0].what, HasSubstr("no field \"knid\""));
  EXPECT_THAT(problems[1].what, HasSubstr("no group \"tp\""));
  EXPECT_THAT(problems[2].what, HasSubstr("op 7"));
  EXPECT_EQ(problems[3].place.line, 6);
}

TEST(EchoLines, AnythingElseIsRefused) {
  for (const char* text :
       {"", "{}\n", "[1]\n", "{\"echo_trace\": 2, \"world\": 1}\n", "{\"echo_trace\": 1, \"world\": 0}\n",
        "{\"echo_trace\": 1, \"wrld\": 2}\n", "{\"echo_trace\": 1}\n{}\n",
        "{\"echo_trace\": 1}\n{\"rank\": 0, \"kind\": \"wait\"}\n",
        "{\"echo_trace\": 1}\n{\"rank\": 0}\n{\"kind\": \"collective\"}\n",
        "{\"echo_trace\": 1}\n{\"rank\": 0}\n{} {}\n", "{\"echo_trace\": 1}\n{\"rank\": 0}\n{\"id\": 1\n",
        "{\"echo_trace\": 1}\n{\"rank\": 0}\n{\"id\": 4}\n{\"id\": 4}\n",
        "{\"echo_trace\": 1}\n{\"rank\": 0}\n{\"kernel\": {\"m\": 0}}\n",
        "{\"echo_trace\": 1, \"groups\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}\n"}) {
    const echo::testing::ScratchFiles files;
    EXPECT_THROW(static_cast<void>(read_echo_lines({files.write("t.jsonl", text)})), UserError) << text;
  }
}

TEST(EchoLines, ACutOffArchiveIsNoShorterTrace) {
  const echo::testing::ScratchFiles files;
  trace::Trace drawn = echo::testing::RandomTrace(5).draw();
  write_echo_lines(drawn, files.path("t.jsonl.gz"));
  const std::string bytes = files.text("t.jsonl.gz");
  const std::string cut = files.write("u.jsonl.gz", bytes.substr(0, bytes.size() / 2));
  EXPECT_THROW(static_cast<void>(read_echo_lines({cut})), UserError);
}

TEST(EchoLines, WhereItCannotBeWrittenTheErrorIsOfOutput) {
  try {
    write_echo_lines({}, "/no/such/folder/t.jsonl");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 5);
  }
}

}  // namespace
}  // namespace echo::trace_io
