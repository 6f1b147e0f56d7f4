// Reads the values of [economics], and checks them against the catalog and the space.
#pragma once

#include "config/sweep_file/sweep_keys.hpp"
#include "config/toml/toml_reader.hpp"
#include "simulate/catalog.hpp"
#include "sweep/spec.hpp"

namespace echo::config {

// "2.10 USD", or { h100-sxm = "2.10 USD", dgx-b200 = "5 USD" }: into prices and currency.
[[nodiscard]] bool read_gpu_hours(TableReader& section, const Setting&, SettingValue&);
// "0.12 USD/kWh": into number and currency.
[[nodiscard]] bool read_electricity(TableReader& section, const Setting&, SettingValue&);
// "0.4 kg/kWh" or "400 g/kWh": kilograms, into number.
[[nodiscard]] bool read_carbon(TableReader& section, const Setting&, SettingValue&);

// Names that are no GPU and no cluster, a second currency, electricity or carbon without a PUE, and limits
// and objectives that need a term or the price of a GPU of the space which is not given. `spec` has its
// space.
void check_economics(const toml::table& root, const simulate::Catalog&, const sweep::SweepSpec& spec,
                     Problems&);

}  // namespace echo::config
