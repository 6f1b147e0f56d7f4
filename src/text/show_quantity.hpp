// Formats numbers with units for people.
#pragma once

#include <cstdint>
#include <string>

namespace echo::text {

[[nodiscard]] std::string show_time(double seconds);      // "4.81 s", "812 ms", "31.2 us"; "-" when missing
[[nodiscard]] std::string show_duration(double seconds);  // wall time: "41 s", "3 min 20 s", "2 h 05 min"
[[nodiscard]] std::string show_days(double seconds);      // "19.2 d"; "-" when missing, as all below
[[nodiscard]] std::string show_energy(double joules);     // "45.6 MWh", "1.26 kWh"
[[nodiscard]] std::string show_mass(double kilograms);    // "18.2 t", "740 kg"
[[nodiscard]] std::string show_amount(
    double amount);                                // of money, to three digits or whole: "114 660", "3.20"
[[nodiscard]] std::string show_gib(double bytes);  // "61.2 GiB"
[[nodiscard]] std::string show_share(double fraction);        // "40.3 %"
[[nodiscard]] std::string show_count(std::int64_t count);     // "94 554"
[[nodiscard]] std::string show_bar(double share, int width);  // '#' characters, `width` for 1.0, rounded

}  // namespace echo::text
