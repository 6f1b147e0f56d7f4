// Reads an order of pipeline tasks that a sweep names as schedule = ["file:orders/mine.toml"].
#pragma once

#include <optional>
#include <string>

#include "config/toml/toml_reader.hpp"
#include "timeline/patterns/given_order.hpp"

namespace echo::config {

// `name`: as the sweep spells it, "file:" and a path relative to `folder`. Reports every flaw with its place,
// and returns nothing then. The order's own name ends in a digest of the tasks: "file:orders/mine.toml@...".
[[nodiscard]] std::optional<timeline::GivenOrder> read_order(const std::string& name,
                                                             const std::string& folder,
                                                             const toml::node& named, Problems&);

}  // namespace echo::config
