#include "collective/constants.hpp"

namespace echo::collective {

std::span<const NetworkConstantField> network_constant_fields() {
  using C = NetworkConstants;
  static constexpr NetworkConstantField fields[] = {
      {"base_ll", &C::base_ll},
      {"base_ll128", &C::base_ll128},
      {"base_simple", &C::base_simple},
      {"intra_hop_ll", &C::intra_hop_ll},
      {"intra_hop_ll128", &C::intra_hop_ll128},
      {"intra_hop_simple", &C::intra_hop_simple},
      {"inter_hop_ll", &C::inter_hop_ll},
      {"inter_hop_ll128", &C::inter_hop_ll128},
      {"inter_hop_simple", &C::inter_hop_simple},
      {"network_delay", &C::network_delay},
      {"network_post", &C::network_post},
      {"network_step", &C::network_step},
      {"nvlink_rate_ll", &C::nvlink_rate_ll},
      {"nvlink_rate_ll128", &C::nvlink_rate_ll128},
      {"nvlink_rate_simple", &C::nvlink_rate_simple},
      {"network_rate", &C::network_rate},
      {"chunk_ramp", &C::chunk_ramp},
      {"ring_fill", &C::ring_fill},
      {"ring_end", &C::ring_end},
      {"overlap", &C::overlap},
      {"nvls_base", &C::nvls_base},
      {"nvls_ramp", &C::nvls_ramp},
      {"nvls_step", &C::nvls_step},
      {"nvls_rate", &C::nvls_rate},
      {"p2p_base", &C::p2p_base},
      {"p2p_peer", &C::p2p_peer},
      {"p2p_simple", &C::p2p_simple},
      {"p2p_ramp", &C::p2p_ramp},
      {"p2p_end", &C::p2p_end},
      {"p2p_rate", &C::p2p_rate},
      {"p2p_network_rate", &C::p2p_network_rate},
  };
  return fields;
}

bool is_of_fabric(std::string_view field) {
  return field.starts_with("network") || field.starts_with("inter") || field == "chunk_ramp" ||
         field == "p2p_network_rate";
}

NetworkConstants on_fabric(const NetworkConstants& inside, const NetworkConstants& fabric) {
  NetworkConstants out = inside;
  for (const NetworkConstantField& field : network_constant_fields())
    if (is_of_fabric(field.name)) out.*field.member = fabric.*field.member;
  return out;
}

}  // namespace echo::collective
