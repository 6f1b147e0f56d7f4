#include "config/measured/fabric_words.hpp"

#include <gtest/gtest.h>

namespace echo::config {
namespace {

struct Case {
  const char* text;
  Transport transport;
  std::int32_t nics;
  double nic, node;
};

TEST(FabricWords, SayNumberAndRateOfNicsAndHowTheyAreDriven) {
  const Case cases[] = {
      {"8x IB HDR 200Gb/s per node (Azure ND A100 v4), NVSwitch intra", Transport::infiniband, 8, 200, 0},
      {"EFA 32x100Gb/s", Transport::efa, 32, 100, 0},
      {"EFA 1x100Gb/s (p3dn)", Transport::efa, 1, 100, 0},
      {"IB NDR 8x400Gb/s", Transport::infiniband, 8, 400, 0},
      {"8x400Gb/s IB/RoCE CX-7", Transport::roce, 8, 400, 0},
      {"8x400Gb/s", Transport::unknown, 8, 400, 0},
      {"RoCE 16x100Gb/s (BM.GPU.B4.8)", Transport::roce, 16, 100, 0},
      {"RoCE (rate not stated; 8 HCAs)", Transport::roce, 0, 0, 0},
      {"4x200Gb/s Ethernet, GPUDirect-TCPX", Transport::tcpx, 4, 200, 0},
      {"8x200Gb/s Ethernet, GPUDirect-TCPXO", Transport::tcpxo, 8, 200, 0},
      {"Slingshot-11 4x200Gb/s, aws-ofi-nccl", Transport::slingshot, 4, 200, 0},
      {"3.2 Tbps EFA", Transport::efa, 0, 0, 3200},
      {"3200 Gbps EFA", Transport::efa, 0, 0, 3200},
      {"8 x 800G RoCE", Transport::roce, 8, 800, 0},
      {"EFAv3 16x200Gb/s (p5en)", Transport::efa, 16, 200, 0},
      {"2x HDR100, default settings", Transport::infiniband, 2, 100, 0},
      {"8x HDR", Transport::infiniband, 8, 200, 0},
      {"ConnectX-7 InfiniBand", Transport::infiniband, 0, 400, 0},
      {"NVLink 900GB/s inside, 400 Gbit/s IB", Transport::infiniband, 0, 400, 0},
      {"2x 50 GB/s", Transport::unknown, 2, 400, 0},
      {"", Transport::unknown, 0, 0, 0},
      {"99999999999999999999999999x ///", Transport::unknown, 0, 0, 0},
  };
  for (const Case& c : cases) {
    const FabricWords words = read_fabric(c.text);
    EXPECT_EQ(words.transport, c.transport) << c.text;
    EXPECT_EQ(words.nics, c.nics) << c.text;
    EXPECT_EQ(words.nic_gigabits, c.nic) << c.text;
    EXPECT_EQ(words.node_gigabits, c.node) << c.text;
  }
}

TEST(FabricWords, FindAVersionAmongWords) {
  EXPECT_EQ(read_nccl_version("2.27.3"), 22703);
  EXPECT_EQ(read_nccl_version("NCCL version 2.21.5+cuda12.4"), 22105);
  EXPECT_EQ(read_nccl_version("2.23"), 22300);
  EXPECT_EQ(read_nccl_version("unknown"), 0);
  EXPECT_EQ(read_nccl_version("cuda 12.2"), 0);
  EXPECT_EQ(read_nccl_version("1 process, -g 2, 20 iters"), 0);
  EXPECT_EQ(read_nccl_version("2.99999999999999"), 0);
}

}  // namespace
}  // namespace echo::config
