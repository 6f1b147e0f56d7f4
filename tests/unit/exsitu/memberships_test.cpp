#include "exsitu/memberships.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace echo::exsitu {
namespace {

using Ranks = std::vector<std::int32_t>;

TEST(RankLists, RunsAndStepsAreUnderstood) {
  EXPECT_EQ(ranks_of("3"), Ranks({3}));
  EXPECT_EQ(ranks_of("5,0-2,8-20/4"), Ranks({5, 0, 1, 2, 8, 12, 16, 20}));
  EXPECT_EQ(ranks_of("1-6/2"), Ranks({1, 3, 5}));
}

TEST(RankLists, WhatIsNoListOfDistinctRanksIsNone) {
  for (const char* text : {"", "-", "-1", "1,", ",1", "1,,2", "2-1", "1-", "1-2/0", "1/2", "x", "1 ,2", "1,1",
                           "0-4,2", "0-99999999", "99999999999", "1-3/-1", "0-9000000,9000001-18000000"})
    EXPECT_FALSE(ranks_of(text)) << text;
}

TEST(RankLists, RandomBytesDoNoHarm) {
  std::mt19937 chance(7);
  for (int i = 0; i < 5000; ++i) {
    std::string text(chance() % 8, ' ');
    for (char& c : text) c = "0123456789,-/ x"[chance() % 15];
    const auto ranks = ranks_of(text);
    if (!ranks) continue;
    EXPECT_EQ(ranks_of(text_of(*ranks)), ranks) << text;
  }
}

TEST(RankLists, TextIsShortAndComesBack) {
  EXPECT_EQ(text_of(Ranks({7})), "7");
  EXPECT_EQ(text_of(Ranks({7, 9})), "7,9");
  EXPECT_EQ(text_of(Ranks({3, 2, 1})), "3,2,1");
  EXPECT_EQ(text_of(Ranks({0, 1, 2, 3, 8, 16, 24})), "0-3,8-24/8");
  Ranks all(100000);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(text_of(all), "0-99999");
}

TEST(MembershipFile, LinesMayComeInPieces) {
  Memberships known;
  known.read_text("tp\t0-");
  EXPECT_EQ(known.size(), 0);
  known.read_text("3\ndp\t0,4\tabcd\nlate");
  ASSERT_EQ(known.size(), 2);
  const Membership* by_name = known.find({.name = "tp"});
  ASSERT_NE(by_name, nullptr);
  EXPECT_EQ(by_name->ranks, Ranks({0, 1, 2, 3}));
}

Memberships several() {
  Memberships known;
  known.read_text("world\t0-7\ntp\t4,5\ndp\t1,5\ndp2\t1,5\tid5\nlast\t5,6\n");
  return known;
}

TEST(MembershipFile, TheUniqueIdDecidesThenTheNameThenWhatIsNewest) {
  const Memberships known = several();
  EXPECT_EQ(known.find({.unique_ids = {"other", "id5"}, .name = "tp"})->name, "dp2");
  EXPECT_EQ(known.find({.unique_ids = {"other"}, .name = "tp"})->name, "tp");
  EXPECT_EQ(known.find({.name = "unheard"})->name, "last");
  EXPECT_EQ(known.find({.size = 8})->name, "world");
}

TEST(MembershipFile, TheLastWordOfANameIsANameToo) {
  Memberships known;
  known.read_text("tensor 1\t4,5\ndata 11\t1,5\nx1\t5,6\nlast\t5,7\n");
  EXPECT_EQ(known.find({.name = "1"})->name, "tensor 1");
  EXPECT_EQ(known.find({.name = "11"})->name, "data 11");
  EXPECT_EQ(known.find({.name = "x1"})->name, "x1");
  EXPECT_EQ(known.find({.name = "tensor"})->name, "last");
}

TEST(MembershipFile, WhatContradictsIsNotTaken) {
  const Memberships known = several();
  EXPECT_EQ(known.find({.size = 2, .own_place = 1, .own_rank = 5})->name, "dp");
  EXPECT_EQ(known.find({.name = "tp", .size = 8})->name, "world");
  EXPECT_EQ(known.find({.own_rank = 9}), nullptr);
  const Ranks parent{4, 5};
  EXPECT_EQ(known.find({.own_rank = 5, .among = parent})->name, "tp");
  EXPECT_EQ(known.find({.size = 3}), nullptr);
}

TEST(MembershipFile, IdsAreTheirFirstThirtyTwoBytes) {
  std::vector<char> id(128, '\0');
  id[0] = 'A', id[1] = '\xff';
  EXPECT_EQ(hexadecimal(id), "41ff" + std::string(60, '0'));
}

}  // namespace
}  // namespace echo::exsitu
