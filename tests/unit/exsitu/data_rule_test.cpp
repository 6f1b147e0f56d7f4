#include "exsitu/data_rule.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <vector>

namespace echo::exsitu {
namespace {

constexpr std::uint64_t any_size = ~std::uint64_t{0};

void make(const std::vector<Copy>& copies) {
  for (const Copy& c : copies) {
    const auto* from = static_cast<const char*>(c.from);
    const auto* to = static_cast<const char*>(c.to);
    ASSERT_TRUE(to + c.bytes <= from || from + c.bytes <= to) << "a copy overlaps itself";
    std::memcpy(c.to, c.from, c.bytes);
  }
}

TEST(DataRule, AllGatherFillsEverySlotInFewCopies) {
  for (std::int32_t size = 1; size <= 70; ++size)
    for (std::int32_t rank = 0; rank < size; rank += 7) {
      std::vector<int> own{rank, -rank}, all(2 * static_cast<std::size_t>(size), 99);
      const auto copies = copies_of({.what = What::all_gather,
                                     .from = own.data(),
                                     .to = all.data(),
                                     .bytes = 8,
                                     .size = size,
                                     .rank = rank},
                                    any_size);
      make(copies);
      EXPECT_LE(copies.size(), 8);
      for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], own[i % 2]) << size << ' ' << rank;
    }
}

TEST(DataRule, AllGatherInPlaceSpreadsItsOwnSlot) {
  for (std::int32_t rank = 0; rank < 9; ++rank) {
    std::vector<int> all(9);
    std::iota(all.begin(), all.end(), 0);
    make(copies_of({.what = What::all_gather,
                    .from = &all[static_cast<std::size_t>(rank)],
                    .to = all.data(),
                    .bytes = 4,
                    .size = 9,
                    .rank = rank},
                   any_size));
    EXPECT_EQ(all, std::vector<int>(9, rank));
  }
}

TEST(DataRule, WhatIsInPlaceAlreadyCostsNothing) {
  int buffer[8] = {};
  for (const What what : {What::all_reduce, What::broadcast, What::reduce, What::all_to_all})
    EXPECT_TRUE(
        copies_of({.what = what, .from = buffer, .to = buffer, .bytes = 4, .size = 2, .rank = 0, .root = 0},
                  any_size)
            .empty());
  EXPECT_TRUE(
      copies_of(
          {.what = What::reduce_scatter, .from = buffer, .to = buffer + 1, .bytes = 4, .size = 2, .rank = 1},
          any_size)
          .empty());
}

TEST(DataRule, OnlyTheRootOfAReductionGetsAResult) {
  int from[2] = {1, 2}, to[2] = {};
  EXPECT_TRUE(
      copies_of({.what = What::reduce, .from = from, .to = to, .bytes = 8, .size = 4, .rank = 1, .root = 2},
                any_size)
          .empty());
  EXPECT_EQ(
      copies_of({.what = What::reduce, .from = from, .to = to, .bytes = 8, .size = 4, .rank = 2, .root = 2},
                any_size)
          .size(),
      1);
  EXPECT_TRUE(
      copies_of(
          {.what = What::reduce, .from = from, .to = nullptr, .bytes = 8, .size = 4, .rank = 2, .root = 2},
          any_size)
          .empty());
}

TEST(DataRule, TheBoundIsOnTheWholeResult) {
  char from[8], to[64];
  const Delivery gather{.what = What::all_gather, .from = from, .to = to, .bytes = 8, .size = 8, .rank = 0};
  EXPECT_FALSE(copies_of(gather, 65).empty());
  EXPECT_TRUE(copies_of(gather, 64).empty());
  EXPECT_TRUE(copies_of(gather, 0).empty());
}

TEST(DataRule, TransfersAnswerThoseToTheSamePeerInOrder) {
  std::array<int, 4> out{1, 2, 3, 4}, in{};
  const auto send = [&](std::int32_t peer, std::size_t at, std::uint32_t comm = 1) {
    return Transfer{.what = What::send, .comm = comm, .peer = peer, .from = &out[at], .bytes = 4};
  };
  const auto recv = [&](std::int32_t peer, std::size_t at, std::size_t bytes = 4) {
    return Transfer{.what = What::recv, .comm = 1, .peer = peer, .to = &in[at], .bytes = bytes};
  };
  // The send of the other communicator answers nothing, nor does one of another size.
  make(copies_of(std::array{send(7, 0), recv(7, 0), send(9, 3, 2), recv(9, 3), recv(7, 2), send(7, 1),
                            send(4, 2), recv(4, 1, 3)},
                 any_size));
  EXPECT_EQ(in, (std::array<int, 4>{1, 0, 2, 0}));
}

TEST(DataRule, BroadcastsFromEverybodyAreAllOurs) {
  std::array<int, 5> all{};
  const int own = 42, other = 7;
  std::vector<Transfer> group;
  for (std::int32_t root = 0; root < 4; ++root)
    group.push_back({.what = What::broadcast,
                     .comm = 1,
                     .peer = root,
                     .is_root = root == 2,
                     .from = &own,
                     .to = &all[static_cast<std::size_t>(root)],
                     .bytes = 4});
  group.push_back({.what = What::broadcast, .comm = 2, .peer = 0, .from = &other, .to = &all[4], .bytes = 4});
  make(copies_of(group, any_size));
  EXPECT_EQ(all, (std::array<int, 5>{42, 42, 0, 42,
                                     0}));  // our own was delivered as it was called; of comm 2 none is ours
  EXPECT_TRUE(copies_of(group, 4).empty());
}

TEST(DataRule, NeighboursTravelTogether) {
  std::array<int, 6> out{1, 2, 3, 4, 5, 6}, in{};
  std::vector<Transfer> all;
  for (std::int32_t peer = 0; peer < 6; ++peer) {
    all.push_back({.what = What::send,
                   .comm = 1,
                   .peer = peer,
                   .from = &out[static_cast<std::size_t>(peer)],
                   .bytes = 4});
    all.push_back(
        {.what = What::recv, .comm = 1, .peer = peer, .to = &in[static_cast<std::size_t>(peer)], .bytes = 4});
  }
  const auto copies = copies_of(all, any_size);
  EXPECT_EQ(copies.size(), 1);
  make(copies);
  EXPECT_EQ(in, out);
}

}  // namespace
}  // namespace echo::exsitu
