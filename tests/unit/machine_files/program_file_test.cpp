#include "machine_files/program_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/chakra_files.hpp"
#include "textbook/run_program.hpp"

namespace echo::machine_files {
namespace {

using machine::ProgramStepKind;
using ::testing::HasSubstr;

// An all-gather of two ranks; the second block of rank 0 waits for the first.
std::string msccl(const std::string& step = R"(<step s="0" type="s" cnt="1" depid="-1" deps="-1"/>)") {
  return R"(<?xml version="1.0"?>
<!-- two ranks -->
<algo name="pair" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather" inplace="1">
  <gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">
    <tb id="0" send="1" recv="-1" chan="0">
      )" +
         step +
         R"(
    </tb>
    <tb id="1" send="-1" recv="1" chan="0">
      <step s="0" type="r" cnt="1" depid="0" deps="0"/>
      <step s="1" type="cpy" cnt="1" depid="-1" deps="-1"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="1" o_chunks="2" s_chunks="0">
    <tb id="0" send="0" recv="0" chan="0">
      <step s="0" type="rcs" cnt="1" depid="-1" deps="-1"/>
    </tb>
  </gpu>
</algo>
)";
}

TEST(Msccl, IsStepsAndWhatTheyWaitFor) {
  Problems problems;
  const machine::CollectiveProgram read = read_msccl(msccl(), "pair.xml", problems);
  ASSERT_EQ(problems.errors(), 0) << problems.list().front().what;
  EXPECT_EQ(read.ranks, 2);
  EXPECT_EQ(read.bytes, 2);
  EXPECT_EQ(read.collective, machine::ChosenCollective::all_gather);
  ASSERT_EQ(read.steps.size(), 5U);
  EXPECT_EQ(read.rank_begin, (std::vector<std::int32_t>{0, 3, 5}));
  EXPECT_EQ(read.steps[0], (machine::ProgramStep{.kind = ProgramStepKind::send, .peer = 1, .bytes = 1}));
  EXPECT_EQ(read.steps[1].kind, ProgramStepKind::receive);
  EXPECT_THAT(read.needs.row(1), ::testing::ElementsAre(0));
  EXPECT_THAT(read.needs.row(2), ::testing::ElementsAre(1));
  EXPECT_THAT(read.needs.row(4), ::testing::ElementsAre(3));
  EXPECT_EQ(textbook::why_stuck(read), "");
}

TEST(Msccl, NamesEveryMistakeByItsPlace) {
  for (const auto& [step, what] :
       {std::pair{R"(<step s="0" type="x" cnt="1" depid="-1" deps="-1"/>)", "none of the known types"},
        {R"(<step s="0" type="s" cnt="-1" depid="-1" deps="-1"/>)", "is not a cnt"},
        {R"(<step s="0" type="r" cnt="1" depid="-1" deps="-1"/>)", "no other GPU to recv"},
        {R"(<step s="0" type="s" depid="-1" deps="-1"/>)", "has no cnt"},
        {R"(<step s="0" type="s" cnt="1" depid="9" deps="0"/>)", "step 0 of thread block 9"},
        {R"(<step s="0" type="s" cnt="1" depid="-1" deps="-1">)", "closes nothing"},
        {R"(<step s=0/>)", "is not in quotes"},
        {"text", "this is no tag"}}) {
    Problems problems;
    static_cast<void>(read_msccl(msccl(step), "pair.xml", problems));
    ASSERT_GE(problems.errors(), 1) << step;
    EXPECT_THAT(problems.list().front().what, HasSubstr(what));
    EXPECT_GE(problems.list().front().place.line, 6);
    EXPECT_GE(problems.list().front().place.column, 5);
  }
}

TEST(ReadProgram, RefusesWhatNeverEnds) {
  const testing::TempFolder folder;
  const std::string path = folder.path / "pair.xml";
  testing::write_bytes(path, msccl(R"(<step s="0" type="nop" cnt="1" depid="-1" deps="-1"/>)"));
  Problems problems;
  static_cast<void>(read_program(path, std::nullopt, problems));
  ASSERT_EQ(problems.errors(), 1);
  EXPECT_THAT(problems.list().front().what, HasSubstr("a receive from rank"));
  Problems other;
  testing::write_bytes(path, msccl());
  static_cast<void>(read_program(path, machine::ChosenCollective::all_reduce, other));
  ASSERT_EQ(other.errors(), 1);
  EXPECT_THAT(other.list().front().what, HasSubstr("the file does all_gather, not all_reduce"));
}

TEST(CollectiveOf, TakesMscclsWordsAndOurs) {
  EXPECT_EQ(collective_of("allreduce"), machine::ChosenCollective::all_reduce);
  EXPECT_EQ(collective_of("reduce_scatter"), machine::ChosenCollective::reduce_scatter);
  EXPECT_EQ(collective_of("all-to-all"), machine::ChosenCollective::all_to_all);
  EXPECT_FALSE(collective_of("broadcast").has_value());
}

}  // namespace
}  // namespace echo::machine_files
