// Fitted constants of one network (GPU kind and fabric), read from sweeps/catalog/networks/<name>.toml.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace echo::collective {

// Protocol order everywhere: LL, LL128, Simple. Rates are fractions of the data sheet's; multipliers apply to
// NCCL's own latency tables; defaults are not measured.
struct NetworkConstants {
  std::string name;
  std::int32_t most_nodes = 0;  // of the logs they were fitted to or compared with; 0 = no logs
  // Multiplier of NCCL's base latency, its NVLink hop and its network hop.
  double base_ll = 1.0, base_ll128 = 1.0, base_simple = 1.0;
  double intra_hop_ll = 1.4, intra_hop_ll128 = 0.8, intra_hop_simple = 1.5;
  double inter_hop_ll = 1.0, inter_hop_ll128 = 1.0, inter_hop_simple = 1.0;
  double network_delay = 1.0;  // us added to each network hop besides the switches' own latency
  double network_post =
      1.0;  // us per channel of LL, whose lines pass through host memory; half for the others
  double network_step = 1.0;  // us of a channel's network connection per chunk, besides its bytes
  double nvlink_rate_ll = 0.29, nvlink_rate_ll128 = 0.68, nvlink_rate_simple = 0.76;
  double network_rate = 0.93;
  double chunk_ramp = 1.0;  // share of one chunk's NIC time paid at each store-and-forward hop
  double ring_fill = 0.3;   // wire time until a ring's pipeline is full, in slices
  double ring_end = 0.36;   // wire time beyond 2(n-1) or n-1 ring steps, in steps
  double overlap = 1.3;  // exponent of the norm of latency and wire time: 1 adds them, large takes the longer
  // NVLink SHARP: latency, its growth with the chunk, loss of a channel between chunks, and the algorithm
  // bandwidth of infinite chunks relative to NCCL's own efficiency for the GPU generation.
  double nvls_base = 25.0;  // us
  double nvls_ramp = 0.7;   // us per KiB of chunk
  double nvls_step = 4.0;   // us per chunk of a channel and head
  double nvls_rate = 0.77;
  // Send/receive: latency of the launch and of each further peer, extra latency of Simple, rates.
  double p2p_base = 6.0, p2p_peer = 0.3, p2p_simple = 4.0;  // us
  double p2p_ramp = 0.8;  // share of one chunk's time at 20 GB/s paid to fill the pipeline
  double p2p_end = 0.3;   // the copy a rank sends to itself, in ranks' data
  double p2p_rate = 0.72, p2p_network_rate = 0.85;
  friend bool operator==(const NetworkConstants&, const NetworkConstants&) = default;
};

// Name and member of each constant: the single list for readers, writers and serialisers.
struct NetworkConstantField {
  const char* name;
  double NetworkConstants::*member;
};
[[nodiscard]] std::span<const NetworkConstantField> network_constant_fields();

// Whether a constant describes the network between nodes; the others describe the inside of a node.
[[nodiscard]] bool is_of_fabric(std::string_view field);
// Constants of the GPUs of `inside` on the network of `fabric`.
[[nodiscard]] NetworkConstants on_fabric(const NetworkConstants& inside, const NetworkConstants& fabric);

}  // namespace echo::collective
