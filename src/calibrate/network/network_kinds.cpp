// The published logs behind each set of network constants. Versions are those of the table, else a release
// of the time of the log. Rows left out: single-process runs below 4 MiB (they add about 4 us per GPU),
// sockets instead of the fabric's own transport, local copies mistaken for send/receive, machines without
// NVSwitch.
#include "calibrate/network/network_measurements.hpp"

namespace echo::calibrate {

std::span<const NetworkKind> network_kinds() {
  using machine::CpuVendor;
  constexpr std::int64_t all = 0, large = 4 << 20, settled = 64 << 20;
  static const std::vector<NetworkKind> kinds{
      {"default-a100",
       "",
       "A100 SXM on NVSwitch, healthy HDR InfiniBand or RoCE: ai-dynamo/aiconfigurator (NCCL 2.27.3), "
       "NetX-lab/Echo "
       "and microsoft/superbenchmark nccl-tests logs, oracle-quickstart/oci-hpc-oke, a public A100 RoCE "
       "all-to-all log",
       80,
       300.0,
       CpuVendor::amd,
       {{"aiconfigurator_1node.csv", "A100-SXM4", "2.27.3", 1, 1, all, 22703, 25.0, 8, Use::fit},
        {"echo_azure_ndA100v4.csv", "", "", 1, 1, large, 21805, 25.0, 8, Use::fit},
        {"superbench_a100_1node.csv", "", "", 1, 1, settled, 21003, 25.0, 8, Use::fit},
        {"oci_a100_2node_oke.csv", "", "", 2, 2, all, 21805, 25.0, 8, Use::fit},
        {"a100_roce_alltoall_2node.csv", "", "", 2, 2, all, 21805, 25.0, 8, Use::fit}}},
      {"azure-nd-a100-v4",
       "default-a100",
       "Azure ND A100 v4 as Echo measured it (16 and 32 ranks of nccl-tests), with the single-node constants "
       "of "
       "default-a100: a fabric that reaches two thirds of its NICs",
       80,
       300.0,
       CpuVendor::amd,
       {{"echo_azure_ndA100v4.csv", "", "", 2, 4, all, 21805, 25.0, 8, Use::fit}},
       collective::Guess::same_gpu},
      {"aws-efa-a100",
       "default-a100",
       "AWS p4de.24xlarge, EFA 4x100 Gb/s: aws-samples/awsome-distributed-training, 2 nodes",
       80,
       300.0,
       CpuVendor::intel,
       {{"aws_p4de_2node.csv", "", "", 2, 2, all, 21805, 12.5, 4, Use::fit}},
       collective::Guess::same_gpu},
      {"default-h100",
       "",
       "H100 and H200 SXM on NVSwitch, healthy NDR InfiniBand: ai-dynamo/aiconfigurator (NCCL 2.23, 2.29.2), "
       "NVIDIA/dgxc-benchmarking, MooreThreads/SimuMax, dstackai/dstack (Nebius), NVIDIA/nccl-tests issue "
       "309",
       90,
       450.0,
       CpuVendor::intel,
       {{"aiconfigurator_1node.csv", "H100-SXM5-80GB", "2.29.2", 1, 1, all, 22902, 50.0, 8, Use::fit},
        {"aiconfigurator_1node.csv", "H200-SXM5-141GB", "2.29.2", 1, 1, all, 22902, 50.0, 8, Use::fit},
        {"aiconfigurator_1node.csv", "H100-SXM5-80GB", "2.23", 1, 1, all, 22304, 50.0, 8, Use::fit},
        {"aiconfigurator_1node.csv", "H200-SXM5-141GB", "2.23", 1, 1, all, 22304, 50.0, 8, Use::fit},
        {"nvidia_dgxc_h100_1node.csv", "", "", 1, 1, all, 22105, 50.0, 8, Use::fit},
        {"simumax_h100_1node.csv", "", "", 1, 1, large, 22105, 50.0, 8, Use::fit},
        {"dstack_nebius_h100_2node.csv", "", "", 2, 2, all, 22304, 50.0, 8, Use::fit},
        {"issue_nccltests309_h100.csv", "", "", 2, 2, all, 22602, 50.0, 8, Use::fit},
        {"issue_nccltests309_h100.csv", "", "", 4, 8, all, 22602, 50.0, 8, Use::test_only}}},
      {"aws-efa-h100",
       "default-h100",
       "AWS p5.48xlarge, EFA 32x100 Gb/s: aws-samples awsome-distributed-training and aws-do-eks, 2 nodes, "
       "but for an excerpt twice as slow",
       90,
       450.0,
       CpuVendor::amd,
       {{"aws_p5_2node.csv", "", "", 2, 2, all, 21805, 50.0, 8, Use::fit, "!excerpt"},
        {"aws_do_eks_p5_2node.csv", "", "", 2, 2, all, 21805, 50.0, 8, Use::fit}},
       collective::Guess::same_gpu},
      {"gcp-a3mega",
       "default-h100",
       "Google A3 Mega, 8x200 Gb/s GPUDirect-TCPXO: GoogleCloudPlatform cluster-toolkit and "
       "lessizzmore/create-a3mega-ztan-fork, 2 nodes",
       90,
       450.0,
       CpuVendor::intel,
       {{"gcp_a3mega_lessizzmore.csv", "", "", 2, 2, all, 22105, 25.0, 8, Use::fit},
        {"gcp_a3mega_cluster_toolkit.csv", "", "", 2, 2, all, 22105, 25.0, 8, Use::fit}},
       collective::Guess::same_gpu},
      {"gcp-a3high",
       "gcp-a3mega",
       "Google A3 High, 4x200 Gb/s GPUDirect-TCPX: GoogleCloudPlatform cluster-toolkit, 2 nodes",
       90,
       450.0,
       CpuVendor::intel,
       {{"gcp_a3high_cluster_toolkit.csv", "", "", 2, 2, all, 22105, 25.0, 4, Use::fit}},
       collective::Guess::same_gpu},
      {"h800",
       "default-h100",
       "no public measurement: default-h100, whose rates are shares of the NVLink rate, 200 GB/s per "
       "direction here",
       90,
       200.0,
       CpuVendor::intel,
       {}},
      {"default-b200",
       "default-h100",
       "B200 SXM on NVSwitch: ai-dynamo/aiconfigurator (NCCL 2.27.5, 2.28.9, 2.29.2); network constants "
       "assumed",
       100,
       900.0,
       CpuVendor::intel,
       {{"aiconfigurator_1node.csv", "B200-SXM", "2.27.5", 1, 1, all, 22705, 50.0, 8, Use::fit},
        {"aiconfigurator_1node.csv", "B200-SXM", "2.28.9", 1, 1, all, 22809, 50.0, 8, Use::fit},
        {"aiconfigurator_1node.csv", "B200-SXM", "2.29.2", 1, 1, all, 22902, 50.0, 8, Use::fit}}},
      {"default-gb200",
       "default-b200",
       "GB200, 2 and 4 GPUs on NVSwitch: ai-dynamo/aiconfigurator (NCCL 2.29.2); network as default-h100",
       100,
       900.0,
       CpuVendor::arm,
       {{"aiconfigurator_1node.csv", "GB200", "2.29.2", 1, 1, all, 22902, 50.0, 4, Use::fit}}},
  };
  return kinds;
}

}  // namespace echo::calibrate
