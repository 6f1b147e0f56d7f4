// One switch, or a fabric as good as one: every NIC reaches every other at full rate, one switch between
// them.
#include "machine/nic_share.hpp"

namespace echo::machine::topologies {

extern const Topology single_switch;
const Topology single_switch{
    .name = "single_switch", .source = "definition: non-blocking crossbar", .links = without_fabric};

}  // namespace echo::machine::topologies
