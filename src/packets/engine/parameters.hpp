// Every setting of the packet simulator by the name that the reference tables (`ns3_params.csv`) give it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace echo::packets {

// Units as in the tables: Mb/s of 10^6 bit/s, KB of 1000 B, MiB. A word that the tables use instead of a
// number
// ("line rate", "none") is stored as -1 or as its place among the words.
struct Parameters {
  // DCQCN
  double alpha_resume_interval_us = 0, rate_decrease_interval_us = 0, rp_timer_us = 0, ewma_gain = 0;
  double rate_ai_mbps = 0, rate_hai_mbps = 0, clamp_target_rate = 0, fast_recovery_times = 0;
  double rate_on_first_cnp = 1;
  // HPCC, DCTCP, TIMELY, Swift
  double dctcp_rate_ai_mbps = 0, u_target = 0, mi_thresh = 0, multi_rate = 0, sample_feedback = 0;
  double fast_react = 0, int_multi = 1;
  double timely_alpha = 0, timely_beta = 0, timely_t_low_ns = 0, timely_t_high_ns = 0, timely_min_rtt_ns = 0;
  double swift_base_target_us = 0, swift_hop_us = 0, swift_ai_packets = 0, swift_beta = 0, swift_max_mdf = 0;
  double swift_flow_range_us = 0;
  // Windows and pacing of all of them
  double has_win = 0, var_win = 0, global_t = 1, rate_bound = 1, min_rate_mbps = 0, initial_rate_mbps = -1;
  // Packets
  double payload_bytes = 0, wire_bytes = 0, time_resolution_ns = 0, ack_high_prio = 0;
  double l2_chunk_size = 0, l2_ack_interval = 1, l2_back_to_zero = 0, nack_interval_us = 0;
  double retransmission_timeout_us = -1;
  // Switches
  double enable_qcn = 1, kmin_100g_kb = 0, kmax_100g_kb = 0, kmin_400g_kb = 0, kmax_400g_kb = 0, pmax = 0;
  double marks_at_enqueue = 0, buffer_mib = 0, dynamic_threshold = 1, pfc_threshold_bytes = -1;
  double resume_offset_bytes = 0, reserve_bytes = 0, headroom_bytes = -1, switch_latency_ns = 0;
  double flow_control = 0, credit_bytes = 0, switching = 0, routing = 0, seed = -1;
};

enum class FlowControl : std::int8_t { pfc, credits, none };
enum class Switching : std::int8_t { store_and_forward, cut_through };
enum class Routing : std::int8_t { ecmp, minimal, spray, adaptive, valiant };

struct ParameterInfo {
  const char *name, *unit, *note;
  double Parameters::*field;       // null: one value only, whose word is accepted
  std::array<double, 6> value;     // of dcqcn, dctcp, hpcc, none, swift, timely: sorted by name
  double least, most;              // of a number; least > most: words alone
  std::vector<const char*> words;  // stored as first_word, first_word + 1, ...
  double first_word = 0;
  bool is_flag = false;  // 0 or 1
};

[[nodiscard]] std::span<const ParameterInfo> parameter_table();

// The values that the tables state for a congestion control (its place in congestion_control_table()).
[[nodiscard]] Parameters default_parameters(std::string_view congestion_control);

// Sets one by its name; `value` is a number in the unit of the table, or one of its words. Throws UserError
// where the name is unknown or the value not admitted.
void set_parameter(Parameters&, std::string_view name, std::string_view value);

// Marking thresholds of a port, in bytes: the row of its rate, or that of 100 Gb/s in proportion.
struct MarkingThresholds {
  std::int64_t least = 0, most = 0;
};
[[nodiscard]] MarkingThresholds marking_thresholds(const Parameters&, std::int64_t bits_per_second);

}  // namespace echo::packets
