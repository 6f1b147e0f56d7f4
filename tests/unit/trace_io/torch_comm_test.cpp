#include "trace_io/pytorch_et/torch_comm.hpp"

#include <gtest/gtest.h>

#include "trace_io/model/comm_groups.hpp"
#include "trace_io/pytorch_et/torch_types.hpp"

namespace echo::trace_io {
namespace {

using Kind = ops::CollectiveKind;

TEST(TorchComm, EveryNameOfPyTorchIsTheCollectiveItCalls) {
  for (const char* name : {"allreduce", "nccl:all_reduce", "allreduce_coalesced", "c10d::allreduce_",
                           "_c10d_functional::all_reduce"})
    EXPECT_EQ(comm_kind(name).value().kind, Kind::all_reduce) << name;
  for (const char* name : {"_allgather_base", "all_gather_into_tensor_coalesced", "ALLGATHER_coalesced"})
    EXPECT_EQ(comm_kind(name).value().kind, Kind::all_gather) << name;
  for (const char* name : {"_reduce_scatter_base", "reduce_scatter_tensor_coalesced"})
    EXPECT_EQ(comm_kind(name).value().kind, Kind::reduce_scatter) << name;
  for (const char* name : {"all_to_allv", "alltoall_base"})
    EXPECT_EQ(comm_kind(name).value().kind, Kind::all_to_all) << name;
  EXPECT_EQ(comm_kind("reduce").value().kind, Kind::reduce);
  EXPECT_EQ(comm_kind("nccl:send 0->1").value().role, CommRole::send);
  EXPECT_EQ(comm_kind("recv").value().role, CommRole::recv);
  EXPECT_EQ(comm_kind("wait").value().role, CommRole::none);
  EXPECT_EQ(comm_kind("aten::add"), std::nullopt);
}

TEST(TorchComm, PayloadIsThatOfNcclTests) {
  CommCall call{.type = "BFloat16", .in = 100, .out = 400};
  EXPECT_EQ(payload_of(call, {CommRole::collective, Kind::all_gather}), Bytes(800));
  std::swap(call.in, call.out);
  EXPECT_EQ(payload_of(call, {CommRole::collective, Kind::reduce_scatter}), Bytes(800));
  EXPECT_EQ(payload_of(call, {CommRole::collective, Kind::all_reduce}), Bytes(800));
  EXPECT_EQ(payload_of(call, {CommRole::recv, Kind::send_recv}), Bytes(200));
  call.type = "who knows";
  EXPECT_EQ(payload_of(call, {CommRole::collective, Kind::all_reduce}), Bytes(0));
}

TEST(TorchComm, RankListsThatWereCutOffGoOnByTheirStride) {
  CommCall call;
  read_rank_list("[1, 9, 17, ...]", call);
  call.group_size = 8;
  EXPECT_TRUE(call.is_ranks_cut);
  EXPECT_EQ(all_ranks_of(call, 64), (std::vector<std::int32_t>{1, 9, 17, 25, 33, 41, 49, 57}));
  EXPECT_TRUE(all_ranks_of(call, 32).empty());  // beyond the job
  read_rank_list("[0, 1, 5, ...]", call);
  EXPECT_TRUE(all_ranks_of(call, 64).empty());  // no stride
  read_rank_list("", call);
  call.group_size = 4;
  EXPECT_EQ(all_ranks_of(call, 4), (std::vector<std::int32_t>{0, 1, 2, 3}));
}

TEST(TorchComm, AGroupIsForWhatItsDescriptionSays) {
  using Role = trace::GroupRole;
  EXPECT_EQ(role_of_group("mesh_tp"), Role::tensor);
  EXPECT_EQ(role_of_group("TENSOR_MODEL_PARALLEL_GROUP"), Role::tensor);
  EXPECT_EQ(role_of_group("mesh_dp_shard"), Role::shard);
  EXPECT_EQ(role_of_group("DATA_PARALLEL_GROUP"), Role::data);
  EXPECT_EQ(role_of_group("PIPELINE_MODEL_PARALLEL_GROUP"), Role::pipeline);
  EXPECT_EQ(role_of_group("EXPERT_MODEL_PARALLEL_GROUP"), Role::expert);
  EXPECT_EQ(role_of_group("default_pg"), Role::unknown);
}

TEST(TorchTypes, AreReadInEverySpelling) {
  for (const char* text : {"c10::BFloat16", "Tensor(c10::BFloat16)", "torch.bfloat16", "BFloat16"}) {
    ASSERT_TRUE(element_type(text)) << text;
    EXPECT_EQ(element_type(text)->precision, machine::Precision::bf16) << text;
  }
  EXPECT_EQ(element_type("c10::Half")->precision, machine::Precision::fp16);
  EXPECT_EQ(element_type("Float")->bytes, 4);
  EXPECT_EQ(element_type("long int")->bytes, 8);
  EXPECT_EQ(element_type("Float8_e4m3fn")->bytes, 1);
  EXPECT_EQ(element_type("Scalar"), std::nullopt);
}

TEST(CommGroups, OfTheSameNameWithOtherMembersStandBesideEachOther) {
  trace::Trace trace;
  TraceTables tables(trace);
  const CommCall first{.group = "2", .ranks = {0, 1}, .group_size = 2},
      second{.group = "2", .ranks = {2, 3}, .group_size = 2};
  CommGroups zero(tables, 0, 4), two(tables, 2, 4);
  EXPECT_EQ(zero.group_of(first), 0);
  EXPECT_EQ(two.group_of(second), 1);
  EXPECT_EQ(trace.groups[1].name, "2@2");
  EXPECT_EQ(two.group_of({.group = "3", .ranks = {0, 1}}), -1);  // not a member
  EXPECT_EQ(zero.group_of({.group = "4", .ranks = {0, 0}}), -1);
}

}  // namespace
}  // namespace echo::trace_io
