// Where NCCL goes over to another algorithm or protocol: message sizes from which a choice holds, in bytes.
// The figures are those of a transcription of its formulas (graph/tuning.cc at the
// tags 2.14.3, 2.18.3, 2.21.5 and 2.27.3) by itself, over the graphs that its logs print for these machines:
// A100 rings 12 x 20 on one node, 8 x 24 on more, trees 8 x 30/24; H100 rings 12 x 30 and 8 x 45, trees 8 x
// 48/45, NVLS 8 x 40/60 and 8 x 40/48; H100 with one rank per node: rings 2 x 24, trees 2 x 48/24. Against
// the logs of Echo's A100s, whose version nobody wrote down: at 4 nodes 128 KiB take less time than 64 KiB;
// at 8 and 16 nodes LL still carries 128 KiB, and LL128 carries 256 KiB in half the time. So it is in 2.14's
// rows. 2.18's keep LL at 128 KiB on 4 nodes too.
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/collective/machines.hpp"

namespace echo::collective::testing {
namespace {

struct From {
  std::int64_t bytes;
  const char* algorithm;
  Protocol protocol;
};

struct Switches {
  Machine machine;
  CollectiveKind kind;
  std::int32_t nodes, per_node, version;
  std::vector<From> choices;
};

// clang-format off
const Switches table[] = {
    {a100, CollectiveKind::all_reduce, 1, 8, 21403, {{0, "ring", Protocol::ll}, {1176197, "tree", Protocol::ll128}, {1253351, "ring", Protocol::ll128}, {29959143, "ring", Protocol::simple}}},
    {a100, CollectiveKind::all_reduce, 2, 8, 21403, {{0, "tree", Protocol::ll}, {89511, "tree", Protocol::ll128}, {4004572, "ring", Protocol::ll128}, {4194304, "tree", Protocol::ll128}, {16819201, "ring", Protocol::ll128}, {92917760, "ring", Protocol::simple}}},
    {a100, CollectiveKind::all_reduce, 4, 8, 21403, {{0, "tree", Protocol::ll}, {122258, "tree", Protocol::ll128}, {19552586, "ring", Protocol::ll128}, {181406555, "ring", Protocol::simple}}},
    {a100, CollectiveKind::all_reduce, 8, 8, 21403, {{0, "tree", Protocol::ll}, {136864, "tree", Protocol::ll128}, {48397071, "ring", Protocol::ll128}, {358595048, "ring", Protocol::simple}}},
    {a100, CollectiveKind::all_reduce, 16, 8, 21403, {{0, "tree", Protocol::ll}, {174588, "tree", Protocol::ll128}, {110733657, "ring", Protocol::ll128}, {134217728, "tree", Protocol::ll128}, {182207374, "ring", Protocol::ll128}, {713071673, "ring", Protocol::simple}}},
    {a100, CollectiveKind::all_reduce, 1, 8, 21803, {{0, "ring", Protocol::ll}, {1205220, "ring", Protocol::ll128}, {24288001, "ring", Protocol::simple}}},
    {a100, CollectiveKind::all_reduce, 2, 8, 21803, {{0, "tree", Protocol::ll}, {148461, "tree", Protocol::ll128}, {3675429, "ring", Protocol::ll128}, {4194304, "tree", Protocol::ll128}, {15436801, "ring", Protocol::ll128}, {115998720, "ring", Protocol::simple}}},
    {a100, CollectiveKind::all_reduce, 4, 8, 21803, {{0, "tree", Protocol::ll}, {163292, "tree", Protocol::ll128}, {19508499, "ring", Protocol::ll128}, {231965730, "ring", Protocol::simple}}},
    {a100, CollectiveKind::all_reduce, 8, 8, 21803, {{0, "tree", Protocol::ll}, {201016, "tree", Protocol::ll128}, {49640975, "ring", Protocol::ll128}, {463901258, "ring", Protocol::simple}}},
    {a100, CollectiveKind::all_reduce, 16, 8, 21803, {{0, "tree", Protocol::ll}, {238740, "tree", Protocol::ll128}, {114645508, "ring", Protocol::ll128}, {134217728, "tree", Protocol::ll128}, {188644153, "ring", Protocol::ll128}, {927773027, "ring", Protocol::simple}}},
    {a100, CollectiveKind::all_gather, 1, 8, 21803, {{0, "ring", Protocol::ll}, {2365715, "ring", Protocol::ll128}, {15456001, "ring", Protocol::simple}}},
    {a100, CollectiveKind::all_gather, 2, 8, 21803, {{0, "ring", Protocol::ll}, {242968, "ring", Protocol::ll128}, {61849600, "ring", Protocol::simple}}},
    {a100, CollectiveKind::all_gather, 4, 8, 21803, {{0, "ring", Protocol::ll}, {251491, "ring", Protocol::ll128}, {135168000, "ring", Protocol::simple}}},
    {a100, CollectiveKind::broadcast, 2, 8, 21803, {{0, "ring", Protocol::ll}, {738328, "ring", Protocol::ll128}, {148224001, "ring", Protocol::simple}}},
    {h100, CollectiveKind::all_reduce, 1, 8, 22105, {{0, "ring", Protocol::ll}, {1154555, "nvls", Protocol::simple}}},
    {h100, CollectiveKind::all_reduce, 2, 8, 22105, {{0, "tree", Protocol::ll}, {255453, "tree", Protocol::ll128}, {591848, "nvls_tree", Protocol::simple}}},
    {h100, CollectiveKind::all_reduce, 4, 8, 22105, {{0, "tree", Protocol::ll}, {166749, "tree", Protocol::ll128}, {1909381, "nvls_tree", Protocol::simple}, {396979200, "ring", Protocol::simple}}},
    {h100, CollectiveKind::all_reduce, 16, 8, 22105, {{0, "tree", Protocol::ll}, {243795, "tree", Protocol::ll128}, {8285715, "nvls_tree", Protocol::simple}, {8388608, "tree", Protocol::ll128}, {11266188, "nvls_tree", Protocol::simple}, {2112469836, "ring", Protocol::simple}}},
    {h100, CollectiveKind::reduce_scatter, 1, 8, 22105, {{0, "ring", Protocol::ll}, {4629935, "ring", Protocol::ll128}, {23184001, "ring", Protocol::simple}}},
    {h100, CollectiveKind::reduce_scatter, 2, 8, 22105, {{0, "ring", Protocol::ll}, {1021812, "ring", Protocol::ll128}, {43127364, "ring", Protocol::simple}}},
    {h100, CollectiveKind::broadcast, 2, 8, 22105, {{0, "ring", Protocol::ll}, {1268269, "ring", Protocol::ll128}, {602339856, "ring", Protocol::simple}}},
    {h100, CollectiveKind::all_reduce, 1, 8, 22703, {{0, "ring", Protocol::ll}, {1154555, "nvls", Protocol::simple}}},
    {h100, CollectiveKind::all_reduce, 2, 8, 22703, {{0, "tree", Protocol::ll}, {255453, "tree", Protocol::ll128}, {591848, "nvls_tree", Protocol::simple}}},
    {h100, CollectiveKind::all_reduce, 4, 8, 22703, {{0, "tree", Protocol::ll}, {166749, "tree", Protocol::ll128}, {1909381, "nvls_tree", Protocol::simple}, {362787840, "ring", Protocol::simple}}},
    {h100, CollectiveKind::all_reduce, 16, 8, 22703, {{0, "tree", Protocol::ll}, {243795, "tree", Protocol::ll128}, {8285715, "nvls_tree", Protocol::simple}, {8388608, "tree", Protocol::ll128}, {11266188, "nvls_tree", Protocol::simple}, {2072244706, "ring", Protocol::simple}}},
    {h100, CollectiveKind::reduce_scatter, 1, 8, 22703, {{0, "ring", Protocol::ll}, {4629935, "ring", Protocol::ll128}, {23184001, "ring", Protocol::simple}}},
    {h100, CollectiveKind::reduce_scatter, 2, 8, 22703, {{0, "ring", Protocol::ll}, {1021812, "ring", Protocol::ll128}, {43127364, "ring", Protocol::simple}}},
    {h100, CollectiveKind::broadcast, 2, 8, 22703, {{0, "ring", Protocol::ll}, {1268269, "ring", Protocol::ll128}, {245775037, "ring", Protocol::simple}}},
    {h100, CollectiveKind::all_gather, 2, 1, 22703, {{0, "ring", Protocol::ll}, {864001, "pat", Protocol::simple}, {1382400, "ring", Protocol::simple}}},
    {h100, CollectiveKind::all_gather, 8, 1, 22703, {{0, "ring", Protocol::ll}, {52930, "pat", Protocol::simple}, {3905335, "ring", Protocol::ll128}, {20755201, "ring", Protocol::simple}}},
    {h100, CollectiveKind::all_gather, 64, 1, 22703, {{0, "pat", Protocol::simple}, {61658448, "ring", Protocol::ll128}, {191163734, "ring", Protocol::simple}}},
    {h100, CollectiveKind::all_reduce, 8, 1, 22703, {{0, "tree", Protocol::ll}, {116179, "tree", Protocol::ll128}, {1234227, "ring", Protocol::ll128}, {48311041, "ring", Protocol::simple}}},
};
// clang-format on

void expect_choice(const Switches& row, double bytes, const From& choice) {
  const auto e = estimate(row.machine, row.kind, static_cast<std::int64_t>(bytes),
                          span(row.nodes, row.per_node), row.version);
  EXPECT_TRUE(name_of(e) == choice.algorithm && e.protocol == choice.protocol)
      << row.nodes << " nodes of " << row.per_node << ", kind " << static_cast<int>(row.kind) << ", version "
      << row.version << ", " << bytes << " bytes: " << name_of(e) << ' '
      << ops::protocol_names[static_cast<std::size_t>(e.protocol)] << ", not " << choice.algorithm;
}

TEST(SwitchPoints, StandWhereNcclsFormulasPutThem) {
  for (const Switches& row : table) {
    for (std::size_t i = 0; i < row.choices.size(); ++i) {
      const auto bytes = static_cast<double>(row.choices[i].bytes);
      expect_choice(row, std::max(bytes * 1.0001 + 1.0, 1024.0), row.choices[i]);
      if (i > 0) expect_choice(row, bytes * 0.9999 - 1.0, row.choices[i - 1]);
    }
  }
}

}  // namespace
}  // namespace echo::collective::testing
