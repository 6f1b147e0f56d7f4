#include "machine/network_graph.hpp"

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::machine {

void NetworkGraph::index_links() {
  std::vector<std::vector<std::int32_t>> leaving(static_cast<std::size_t>(vertices));
  for (std::size_t i = 0; i < links.size(); ++i) {
    ECHO_EXPECT(links[i].from >= 0 && links[i].from < vertices && links[i].to >= 0 && links[i].to < vertices);
    ECHO_EXPECT((i ^ 1) < links.size() && links[i ^ 1].from == links[i].to &&
                links[i ^ 1].to == links[i].from);
    leaving[at(links[i].from)].push_back(static_cast<std::int32_t>(i));
  }
  out.clear();
  for (const auto& row : leaving) {
    for (const std::int32_t id : row) out.push(id);
    out.close_row();
  }
}

}  // namespace echo::machine
