// NCCL selects algorithm and protocol by an estimate of its own, built from constants that its authors
// measured and changed from release to release. To reproduce the choice, mistakes included, the simulator
// needs the same numbers. Source: NVIDIA/nccl src/graph/tuning.cc, read at tags 2.8.4, 2.10.3, 2.12.12,
// 2.14.3, 2.17.1, 2.18.3, 2.19.3, 2.20.5, 2.21.5, 2.23.4, 2.24.3, 2.27.3, 2.28.9, 2.29.2, 2.30.7. Left out:
// CollNet (SHARP) before 2.18, POWER CPUs, tuner plug-ins, NVLS of 2.17.
#include "collective/nccl_tables.hpp"

#include <bit>

#include "base/at.hpp"

namespace echo::collective {
namespace {

constexpr PerProtocol no{0, 0, 0};
constexpr PerArch ll_max_2_8{{{39, 39, 20.4}, {87.7, 22.5, 19}, {87.7, 22.5, 19}, {87.7, 22.5, 19}}};
constexpr PerArch ll_max_2_21{{{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {141, 45, 35}}};
constexpr PerArch ll_max_2_27{{{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}}};
constexpr PerSpan flat20{20, 20, 20}, flat36{36.7, 36.7, 36.7}, tree_volta{26.5, 18.5, 10},
    tree_ampere{24, 23.6, 17.8};
constexpr PerSpan tree_hopper{38.7, 41.4, 36}, tree128_hopper{36.7, 36.7, 29};
constexpr PerArch all20{{flat20, flat20, flat20, flat20}};
constexpr PerArch ring128{{flat20, flat20, flat36, flat36}};
constexpr PerArch tree128{{flat20, flat20, tree128_hopper, tree128_hopper}};
constexpr PerArch tree_2_8{{tree_volta, tree_ampere, tree_ampere, tree_ampere}};
constexpr PerArch tree_2_18{{tree_volta, tree_ampere, tree_hopper, tree_hopper}};
constexpr PerArch uncapped{{{1e9, 1e9, 1e9}, {1e9, 1e9, 1e9}, {1e9, 1e9, 1e9}, {1e9, 1e9, 1e9}}};

// Rows of `base` and `hop`: tree, ring, CollNet direct and chain, NVLS, NVLSTree, PAT; zero where there is
// none.
constexpr NcclTables family_2_8() {
  NcclTables t{.first_version = 20000,
               .base = {{{4.4, 4.4, 0}, {3.6, 10, 8.4}, no, no}},
               .hop = {{{{{.52, 1.25, 28}, {.47, 1.9, 3.4}, no, no}},
                        {{{1, 1.9, 28}, {1, 2.5, 5.7}, no, no}},
                        {{{5, 8.5, 28}, {2.7, 4, 9.6}, no, no}}}},
               .ll_max = ll_max_2_8,
               .ring_ll128 = all20,
               .tree_ll128 = all20,
               .tree = tree_2_8,
               .nvls_tree = uncapped};
  t.ring_ll_share = 0.25;
  t.ring_ll_share_gather = 1.0 / 3.0;
  t.ampere_bus_cap = 235;
  t.ll_hop_multi_node = 1.8;
  t.ring_ll128_single = 0.7;
  t.network_overhead = false;
  t.plateau_by_size = true;
  t.ll128_on_blackwell = false;
  return t;
}

constexpr NcclTables family_2_12() {
  NcclTables t = family_2_8();
  t.first_version = 21200;
  t.hop[2][1][2] = 28;
  t.counts_extra_steps = true;
  return t;
}

constexpr NcclTables family_2_14() {
  NcclTables t = family_2_12();
  t.first_version = 21400;
  t.hop[2][1][2] = 9.6;
  return t;
}

constexpr NcclTables family_2_18() {
  NcclTables t = family_2_14();
  t.first_version = 21800;
  t.base = {{{6.8, 14, 0}, {6.6, 14, 8.4}, {6.8, 14, 0}, {6.8, 14, 0}, {0, 0, 23}, {0, 0, 23}}};
  t.hop = {{{{{.6, 1.25, 4}, {.6, 1.9, 3.4}, {0, 0, 8}, {0, 0, 4.75}}},
            {{{1, 1.9, 6}, {1, 2.5, 5.7}, {0, 0, 8}, {0, 0, 8}}},
            {{{5, 8.5, 14}, {2.7, 4, 14}, {0, 0, 10.7}, {0, 0, 14}, {0, 0, 18}, {0, 0, 19}}}}};
  t.ring_ll128 = ring128;
  t.tree_ll128 = tree128;
  t.tree = tree_2_18;
  t.nvls = NvlsRule::first;
  t.collnet_arity = 0.5;
  t.plain_tree_share = 0.85;
  t.ampere_bus_cap = 1e9;
  t.ll_hop_multi_node = 1.0;
  t.network_overhead = true;
  t.plateau_by_size = false;
  return t;
}

constexpr NcclTables family_2_19() {
  NcclTables t = family_2_18();
  t.first_version = 21900;
  t.base = {{{6.8, 14, 0}, {6.6, 14, 8.4}}};
  t.hop = {{{{{.6, 1.25, 28}, {.6, 1.9, 3.4}, {0, 0, 3.7}, {0, 0, 2.8}, {0, 0, 23}, {0, 0, 23}}},
            {{{1, 1.9, 28}, {1, 2.5, 5.7}, {0, 0, 3.7}, {0, 0, 2.8}}},
            {{{5, 8.5, 28}, {2.7, 4, 14}, {0, 0, 31}, {0, 0, 30}, {0, 0, 18}, {0, 0, 14}}}}};
  t.collnet_arity = 0.4;
  t.nvls = NvlsRule::flat;
  return t;
}

constexpr NcclTables family_2_21() {
  NcclTables t = family_2_19();
  t.first_version = 22100;
  t.hop[0][row_of(NcclAlgorithm::nvls)] = t.hop[0][row_of(NcclAlgorithm::nvls_tree)] = {0, 0, 25};
  t.ll_max = ll_max_2_21;
  t.nvls_gathers = true;
  t.ring_ll_share = t.ring_ll_share_gather = 0.5;
  return t;
}

constexpr NcclTables family_2_23() {
  NcclTables t = family_2_21();
  t.first_version = 22300;
  t.base[0][2] = 8.4;
  t.hop[0][0][2] = t.hop[1][0][2] = 4;
  t.hop[2][0][2] = 14;
  t.ring_ll128_single = 0.92;
  t.counts_extra_steps = false;
  t.tree_hop_when_single = true;
  constexpr auto pat = row_of(NcclAlgorithm::pat);
  t.base[pat] = {8, 8, 8};
  t.hop[0][pat] = t.hop[1][pat] = {0, 0, 4};
  t.hop[2][pat] = {0, 0, 14};
  t.pat_share = 0.85;
  return t;
}

constexpr NcclTables family_2_24() {
  NcclTables t = family_2_23();
  t.first_version = 22400;
  t.pat_share = 0.75;
  return t;
}

constexpr NcclTables family_2_27() {
  NcclTables t = family_2_24();
  t.first_version = 22700;
  t.ll_max = ll_max_2_27;
  t.ring_ll128[3] = {73.4, 73.4, 73.4};
  t.tree_ll128[3] = {73.4, 73.4, 58};
  t.tree[3] = {77.4, 82.8, 72};
  t.ll128_on_blackwell = true;
  return t;
}

constexpr NcclTables family_2_28() {
  NcclTables t = family_2_27();
  t.first_version = 22800;
  t.hop[2][row_of(NcclAlgorithm::nvls_tree)] = {0, 0, 20.9};
  t.ring_ll128[3] = {73.4, 34.6, 73.4};
  t.tree_ll128[3] = {55.6, 31.67, 20};
  t.tree[3] = {70, 42.8, 24};
  t.nvls_tree = {{tree_volta, tree_ampere, {0, 57.7, 45.5}, {0, 96, 43.8}}};
  t.nvls = NvlsRule::efficiency;
  return t;
}

constexpr NcclTables family_2_29() {
  NcclTables t = family_2_28();
  t.first_version = 22900;
  t.ring_ll128[3] = {34.5, 34.6, 34.5};
  t.nvls_tree_correction = true;
  return t;
}

constexpr NcclTables family_2_30() {
  NcclTables t = family_2_29();
  t.first_version = 23000;
  t.ring_ll128[3] = {40, 40, 40};
  t.nvls_tree[3] = {0, 96, 80};
  return t;
}

constexpr std::array<NcclTables, 12> families{family_2_8(),  family_2_12(), family_2_14(), family_2_18(),
                                              family_2_19(), family_2_21(), family_2_23(), family_2_24(),
                                              family_2_27(), family_2_28(), family_2_29(), family_2_30()};

constexpr std::array<std::array<double, 24>, 3> corrections{
    {{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
     {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
     {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}}};

}  // namespace

const NcclTables& nccl_tables(std::int32_t version) {
  // Before 2.9 NCCL printed major * 1000 + minor * 100 + patch.
  const std::int32_t wide = version < 10000 ? version / 1000 * 10000 + version % 1000 : version;
  const NcclTables* found = &families[0];
  for (const NcclTables& family : families) {
    if (family.first_version <= wide) found = &family;
  }
  return *found;
}

double tree_correction(std::int32_t protocol, std::int64_t bytes, std::int32_t sizes) {
  if (bytes < 64) return 1.0;
  const auto log_size = static_cast<std::int32_t>(std::bit_width(static_cast<std::uint64_t>(bytes >> 6))) - 1;
  if (log_size >= sizes) return 1.0;
  return corrections[at(protocol)][at(log_size)];
}

}  // namespace echo::collective
