// A recorded step beside a simulated one: how time divides, which kernels match, and what the difference is
// made of.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

#include "base/at.hpp"
#include "explain/beside/ledger.hpp"

namespace echo::explain {
namespace {

SimTime ps(std::int64_t n) { return SimTime(n); }

std::vector<Activity> random_activities(std::mt19937& random, int most, int latest, bool overlapping) {
  const auto draw = [&](int below) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(below));
  };
  std::vector<Activity> out;
  const std::int64_t count = draw(most + 1);
  SimTime free{};
  for (std::int64_t i = 0; i < count; ++i) {
    Activity one;
    one.role = static_cast<KernelRole>(draw(kernel_role_count));
    one.start = overlapping || communicates(one.role) ? ps(draw(latest)) : free + ps(draw(4));
    one.end = one.start + ps(draw(12));
    one.issued = one.start - ps(draw(10));
    one.alone = ps(std::max<std::int64_t>(0, one.length().count() - draw(4)));
    one.backward = draw(2) == 1;
    if (!communicates(one.role)) free = one.end;
    out.push_back(one);
  }
  return out;
}

// The same, one picosecond after the other.
Usage slow_usage(const std::vector<Activity>& all) {
  Usage out;
  out.share.resize(all.size()), out.beside.resize(all.size());
  SimTime first = SimTime::max(), last = SimTime::min();
  for (const Activity& one : all)
    if (one.length() > SimTime::zero()) first = std::min(first, one.start), last = std::max(last, one.end);
  if (first > last) return out;
  out.span = last - first;
  for (SimTime now = first; now < last; now += ps(1)) {
    std::vector<std::size_t> computing, talking;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].start <= now && now < all[i].end)
        (communicates(all[i].role) ? talking : computing).push_back(i);
    const auto earlier = [&](std::size_t a, std::size_t b) { return all[a].start < all[b].start; };
    if (!talking.empty()) out.communicating += ps(1);
    if (!talking.empty())
      for (const std::size_t i : computing) out.beside[i] += ps(1);
    if (!computing.empty()) {
      out.computing += ps(1);
      out.share[*std::ranges::min_element(computing, earlier)] += ps(1);
    } else if (!talking.empty()) {
      out.exposed += ps(1);
      out.share[*std::ranges::min_element(talking, earlier)] += ps(1);
    } else {
      // The end of the gap, and whether what runs then or later is issued by now.
      SimTime end = last;
      for (const Activity& one : all)
        if (one.start > now && one.length() > SimTime::zero()) end = std::min(end, one.start);
      const bool pending = std::ranges::any_of(all, [&](const Activity& one) {
        return !communicates(one.role) && one.start >= end && one.issued <= now;
      });
      const bool any = std::ranges::any_of(
          all, [&](const Activity& one) { return !communicates(one.role) && one.start >= end; });
      (any && pending ? out.waiting : out.host) += ps(1);
    }
  }
  return out;
}

TEST(Beside, UsageEqualsItsSlowTwin) {
  std::mt19937 random(22);
  for (int round = 0; round < 2000; ++round) {
    const auto all = random_activities(random, 12, 40, round % 2 == 0);
    const Usage fast = usage_of(all), slow = slow_usage(all);
    ASSERT_EQ(fast.span, slow.span);
    ASSERT_EQ(fast.computing, slow.computing);
    ASSERT_EQ(fast.exposed, slow.exposed);
    ASSERT_EQ(fast.communicating, slow.communicating);
    ASSERT_EQ(fast.waiting, slow.waiting) << round;
    ASSERT_EQ(fast.host, slow.host);
    ASSERT_EQ(fast.share, slow.share);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!communicates(all[i].role)) {
        ASSERT_EQ(fast.beside[i], slow.beside[i]);
      }
    ASSERT_EQ(fast.computing + fast.exposed + fast.waiting + fast.host, fast.span);
  }
}

TEST(Beside, GapsOfTheHostEndWhereTheNextKernelIsLaunched) {
  std::vector<Activity> all(2);
  all[0].end = ps(10), all[0].role = KernelRole::product;
  all[1].start = ps(30), all[1].issued = ps(25), all[1].end = ps(40), all[1].role = KernelRole::norm;
  const Usage usage = usage_of(all);
  EXPECT_EQ(usage.host, ps(15));
  EXPECT_EQ(usage.waiting, ps(5));
}

// Every way to align, one by one.
SimTime least_unexplained(std::span<const SimTime> a, std::span<const SimTime> b) {
  if (a.empty() || b.empty()) {
    SimTime sum{};
    for (const SimTime one : a) sum += one;
    for (const SimTime one : b) sum += one;
    return sum;
  }
  const SimTime pair = std::chrono::abs(a[0] - b[0]) + least_unexplained(a.subspan(1), b.subspan(1));
  return std::min(
      {pair, a[0] + least_unexplained(a.subspan(1), b), b[0] + least_unexplained(a, b.subspan(1))});
}

TEST(Beside, AlignmentLeavesLeastTimeUnexplained) {
  std::mt19937 random(23);
  for (int round = 0; round < 300; ++round) {
    std::vector<SimTime> a(random() % 6), b(random() % 6);
    for (auto* one : {&a, &b})
      for (SimTime& time : *one) time = ps(static_cast<std::int64_t>(random() % 20));
    SimTime left{};
    for (const SimTime one : a) left += one;
    for (const SimTime one : b) left += one;
    std::int32_t i = -1, j = -1;
    for (const auto& [x, y] : aligned(a, b)) {
      ASSERT_TRUE(x > i && y > j);
      i = x, j = y;
      left += std::chrono::abs(a[at(x)] - b[at(y)]) - a[at(x)] - b[at(y)];
    }
    ASSERT_EQ(left, least_unexplained(a, b));
  }
}

TEST(Beside, MatchesAreOfOneRoleAndEachKernelIsInOneAtMost) {
  std::mt19937 random(24);
  for (int round = 0; round < 300; ++round) {
    const bool passes = round % 2 == 0;
    const auto left = random_activities(random, 40, 100, true),
               right = random_activities(random, 40, 100, false);
    std::set<std::int32_t> kernels, ops;
    for (const Match& match : matched(left, right, passes)) {
      const Activity &a = left[at(match.recorded)], &b = right[at(match.simulated)];
      ASSERT_EQ(a.role, b.role);
      if (passes && !communicates(a.role)) {
        ASSERT_EQ(a.backward, b.backward);
      }
      ASSERT_TRUE(kernels.insert(match.recorded).second && ops.insert(match.simulated).second);
    }
  }
}

TEST(Beside, TheLedgerAddsUpToThePicosecond) {
  std::mt19937 random(25);
  for (int round = 0; round < 500; ++round) {
    auto left = random_activities(random, 30, 100, round % 3 != 0),
         right = random_activities(random, 30, 100, false);
    const SimTime extent = usage_of(right).span + ps(static_cast<std::int64_t>(random() % 9));
    const auto kernels = static_cast<std::int64_t>(left.size()),
               ops = static_cast<std::int64_t>(right.size());
    const Beside beside = lay_beside(std::move(left), std::move(right), true, extent);
    SimTime recorded{}, simulated{};
    for (const LedgerLine& line : beside.ledger) recorded += line.recorded, simulated += line.simulated;
    ASSERT_EQ(recorded, beside.recorded.usage.span);
    ASSERT_EQ(simulated, extent);
    std::int64_t counted = 0, simulated_ops = 0, pairs = 0;
    for (const RoleSums& sum : beside.roles) {
      counted += sum.recorded, simulated_ops += sum.simulated;
      pairs += sum.alone + sum.beside;
    }
    ASSERT_EQ(counted, kernels);
    ASSERT_EQ(simulated_ops, ops);
    ASSERT_LE(pairs, std::ssize(beside.matches));
    ASSERT_TRUE(std::ranges::is_sorted(beside.ledger, std::greater<>(), [](const LedgerLine& line) {
      return std::chrono::abs(line.difference());
    }));
  }
}

TEST(Beside, NamesHaveRoles) {
  const auto role = [](const char* name) { return role_of_name(name); };
  EXPECT_EQ(role("volta_sgemm_128x32_nn"), KernelRole::product);
  EXPECT_EQ(
      role("void cutlass::device_kernel<dpsk::grouped_gemm::cuda::m_grouped_fp8_ptp128c::GemmKernel>(int)"),
      KernelRole::experts);
  EXPECT_EQ(role("void cutlass::device_kernel<flash::FlashAttnBwd<int>>(int)"), KernelRole::attention);
  EXPECT_EQ(role("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
            KernelRole::all_reduce);
  EXPECT_EQ(role("void dpsk::ep::internode::combine<false, 8, __nv_bfloat16>(int4*)"),
            KernelRole::all_to_all);
  EXPECT_EQ(role("void cuda::per_token_cast_to_fp8_with_channels<__nv_bfloat16, 128>(int)"),
            KernelRole::cast);
  EXPECT_EQ(role("void layer_norm::ln_fwd_kernel<int>(int)"), KernelRole::norm);
  EXPECT_EQ(role("Memcpy DtoD (Device -> Device)"), KernelRole::elementwise);
}

}  // namespace
}  // namespace echo::explain
