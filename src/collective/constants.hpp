// Fitted constants of one network (GPU kind and fabric), read from sweeps/catalog/networks/<name>.toml.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace echo::collective {

// Protocol order everywhere: LL, LL128, Simple. Rates are fractions of the data sheet's; multipliers act on
// NCCL's own latency tables; a default is what nobody measured yet.
struct NetworkConstants {
  std::string name;
  std::int32_t most_nodes = 0;  // of the logs they are fitted to or compared with; 0 = there are none
  // Multiplier of NCCL's base latency, its NVLink hop and its network hop.
  double base_ll = 1.0, base_ll128 = 1.0, base_simple = 1.0;
  double intra_hop_ll = 1.4, intra_hop_ll128 = 0.8, intra_hop_simple = 1.5;
  double inter_hop_ll = 1.0, inter_hop_ll128 = 1.0, inter_hop_simple = 1.0;
  double network_delay = 1.0;  // us added to each network hop beside the switches' own
  double network_post =
      1.0;  // us for each channel of LL, whose lines pass the host's memory; half under the others
  double network_step = 1.0;  // us a channel's network connection is taken up by each chunk beside its bytes
  double nvlink_rate_ll = 0.29, nvlink_rate_ll128 = 0.68, nvlink_rate_simple = 0.76;
  double network_rate = 0.93;
  double chunk_ramp = 1.0;  // share of one chunk's NIC time paid at each store-and-forward hop
  double ring_fill = 0.3;   // slices' worth of wire time until a ring's pipeline is full
  double ring_end = 0.36;   // extra ring steps' worth of wire time, beyond 2(n-1) or n-1
  double overlap =
      1.3;  // exponent of the norm joining latency and wire time: 1 adds them, large takes the longer
  // NVLink SHARP: latency, its growth with the chunk, what a channel loses between chunks, and the algorithm
  // bandwidth of endless chunks over what NCCL's own efficiency of the generation says.
  double nvls_base = 25.0;  // us
  double nvls_ramp = 0.7;   // us per KiB of chunk
  double nvls_step = 4.0;   // us per chunk of a channel and head
  double nvls_rate = 0.77;
  // Send/receive: latency of the launch and of each further peer, what Simple costs more, rates.
  double p2p_base = 6.0, p2p_peer = 0.3, p2p_simple = 4.0;  // us
  double p2p_ramp = 0.8;  // share of one chunk's time at 20 GB/s paid to fill the pipeline
  double p2p_end = 0.3;   // further ranks' worth of data, for the copy a rank sends itself
  double p2p_rate = 0.72, p2p_network_rate = 0.85;
  friend bool operator==(const NetworkConstants&, const NetworkConstants&) = default;
};

// Name and place of each constant, so that readers, writers and serialisers need no list of their own.
struct NetworkConstantField {
  const char* name;
  double NetworkConstants::*member;
};
[[nodiscard]] std::span<const NetworkConstantField> network_constant_fields();

// Whether a constant speaks of the network between nodes; the others speak of what lies inside one.
[[nodiscard]] bool is_of_fabric(std::string_view field);
// The GPUs of `inside` on the network of `fabric`.
[[nodiscard]] NetworkConstants on_fabric(const NetworkConstants& inside, const NetworkConstants& fabric);

}  // namespace echo::collective
