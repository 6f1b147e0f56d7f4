// The rows of parameter_table(). Values: HPCC's run.py at 100 Gb/s
// (alibaba-edu/High-Precision-Congestion-Control, simulation/run.py) and the attributes' defaults of its ns-3
// models; Swift: Kumar et al., "Swift: Delay is simple and effective for congestion control in the
// datacenter", SIGCOMM 2020, section 3, with the numbers of htsim (Broadcom/csg-htsim, sim/swift.cpp).
#include <utility>

#include "packets/engine/parameters.hpp"

namespace echo::packets {
namespace {

using P = Parameters;
constexpr double any = 1e15;

constexpr std::array<double, 6> all(double x) { return {x, x, x, x, x, x}; }

ParameterInfo number(const char* name, const char* unit, const char* note, double P::*field,
                     std::array<double, 6> value, double least, double most) {
  return {name, unit, note, field, value, least, most, {}, 0};
}
ParameterInfo number(const char* name, const char* unit, const char* note, double P::*field, double value,
                     double least, double most) {
  return number(name, unit, note, field, all(value), least, most);
}
ParameterInfo flag(const char* name, const char* note, double P::*field, std::array<double, 6> value) {
  return {name, "", note, field, value, 0, 1, {}, 0, true};
}
ParameterInfo flag(const char* name, const char* note, double P::*field, double value) {
  return flag(name, note, field, all(value));
}
// A number, or one word that stands for -1, the value where it is not set.
ParameterInfo number_or(const char* word, const char* name, const char* unit, const char* note,
                        double P::*field, double least, double most) {
  return {name, unit, note, field, all(-1), least, most, {word}, -1};
}
ParameterInfo words(const char* name, const char* note, double P::*field, std::vector<const char*> words) {
  return {name, "", note, field, all(0), 1, 0, std::move(words), 0};
}

// Columns: dcqcn, dctcp, hpcc, none, swift, timely.
std::vector<ParameterInfo> control_rows() {
  return {
      number("ALPHA_RESUME_INTERVAL", "us", "DCQCN: time between updates of alpha",
             &P::alpha_resume_interval_us, 1, 1e-3, any),
      number("RATE_DECREASE_INTERVAL", "us", "DCQCN: at most one rate cut in this time",
             &P::rate_decrease_interval_us, 4, 1e-3, any),
      number("RP_TIMER", "us", "DCQCN: time between rate increases", &P::rp_timer_us, 300, 1e-3, any),
      number("EWMA_GAIN", "", "g of alpha in DCQCN and DCTCP", &P::ewma_gain,
             {0.00390625, 0.0625, 0.00390625, 0.00390625, 0.00390625, 0.00390625}, 0, 1),
      number("RATE_AI", "Mb/s", "additive increase of DCQCN, TIMELY, and HPCC's window as a rate",
             &P::rate_ai_mbps, {20, 10, 40, 20, 20, 100}, 0, any),
      number("RATE_HAI", "Mb/s", "hyper increase of DCQCN and TIMELY", &P::rate_hai_mbps,
             {200, 10, 40, 200, 200, 500}, 0, any),
      flag("CLAMP_TARGET_RATE", "DCQCN: a second cut lowers the target rate too", &P::clamp_target_rate, 0),
      number("FAST_RECOVERY_TIMES", "", "DCQCN: increases before the additive one", &P::fast_recovery_times,
             1, 0, any),
      number("RateOnFirstCnp", "", "DCQCN: share of the rate kept at the first mark", &P::rate_on_first_cnp,
             1, 1e-6, 1),
      number("DCTCP_RATE_AI", "Mb/s", "DCTCP: increase a round trip", &P::dctcp_rate_ai_mbps,
             {1000, 615, 1000, 1000, 1000, 1000}, 0, any),
      flag("FAST_REACT", "HPCC: reacts to every acknowledgement", &P::fast_react, {0, 0, 1, 0, 0, 0}),
      number("INT_MULTI", "", "HPCC: multiplies the units of bytes and queue lengths in telemetry",
             &P::int_multi, {1, 1, 4, 1, 1, 1}, 1, 1e6),
      number("U_TARGET", "", "HPCC: eta", &P::u_target, 0.95, 1e-6, 1),
      number("MI_THRESH", "", "HPCC: additive increases before a multiplicative one", &P::mi_thresh, 0, 0,
             any),
      flag("MULTI_RATE", "HPCC: a rate for each hop", &P::multi_rate, 0),
      flag("SAMPLE_FEEDBACK", "HPCC: ignores empty queues within a round trip", &P::sample_feedback, 0),
      number("TIMELY alpha", "", "weight of a new difference", &P::timely_alpha, 0.875, 0, 1),
      number("TIMELY beta", "", "share of a decrease", &P::timely_beta, 0.8, 0, 1),
      number("TIMELY TLow", "ns", "below it the rate grows", &P::timely_t_low_ns, 50000, 0, any),
      number("TIMELY THigh", "ns", "above it the rate falls", &P::timely_t_high_ns, 500000, 1, any),
      number("TIMELY minRTT", "ns", "scale of gradients", &P::timely_min_rtt_ns, 20000, 1, any),
      number("SWIFT_BASE_TARGET", "us", "Swift: target delay without hops and flows",
             &P::swift_base_target_us, 20, 1e-3, any),
      number("SWIFT_HOP", "us", "Swift: target delay added for each hop", &P::swift_hop_us, 20 / 6.55, 0,
             any),
      number("SWIFT_FLOW_RANGE", "us", "Swift: most that few packets in flight add to the target",
             &P::swift_flow_range_us, 100, 0, any),
      number("SWIFT_AI", "packets", "Swift: increase a round trip", &P::swift_ai_packets, 1, 0, 1e6),
      number("SWIFT_BETA", "", "Swift: share of the excess delay taken back", &P::swift_beta, 0.8, 0, 1),
      number("SWIFT_MAX_MDF", "", "Swift: largest decrease a round trip", &P::swift_max_mdf, 0.5, 0, 1),
  };
}

std::vector<ParameterInfo> host_rows() {
  return {
      flag("HAS_WIN", "bytes in flight are bounded by a window", &P::has_win, {0, 1, 1, 0, 0, 0}),
      flag("VAR_WIN", "the window follows the rate", &P::var_win, {0, 1, 1, 0, 0, 0}),
      flag("GLOBAL_T", "base RTT and window of every flow are the largest of all pairs", &P::global_t, 1),
      flag("RATE_BOUND", "packets are paced by the rate", &P::rate_bound, 1),
      number("MIN_RATE", "Mb/s", "no rate falls below it", &P::min_rate_mbps, 1000, 1e-3, any),
      number_or("line rate", "initial rate", "Mb/s", "rate of a new flow", &P::initial_rate_mbps, 1e-3, any),
      number("payload per packet", "B", "most that one packet carries", &P::payload_bytes, 1000, 1, 1e5),
      {"data packet on the wire",
       "B",
       "of a full payload, without telemetry",
       &P::wire_bytes,
       all(1036),
       1,
       1e5,
       {"1036 (+8 TIMELY timestamp, +42 HPCC INT)"},
       1036},
      number("time resolution", "ns", "transmission times are rounded to it; 0: to the picosecond",
             &P::time_resolution_ns, 1, 0, 1e6),
      flag("ACK_HIGH_PRIO", "hosts send acknowledgements while data is paused", &P::ack_high_prio,
           {1, 1, 0, 1, 0, 1}),
      number("L2_CHUNK_SIZE", "B", "unit of going back to zero, and of acknowledgements", &P::l2_chunk_size,
             4000, 1, any),
      number("L2_ACK_INTERVAL", "packets", "received for one acknowledgement", &P::l2_ack_interval, 1, 1,
             any),
      flag("L2_BACK_TO_ZERO", "after a loss the chunk is sent again", &P::l2_back_to_zero, 0),
      number("NACK interval", "us", "least time between two refusals of one packet", &P::nack_interval_us,
             500, 0, any),
      number_or("none", "retransmission timeout", "us", "without progress, so long",
                &P::retransmission_timeout_us, 1e-3, any),
      words("NIC scheduling", "over flows whose pacing time and window allow", nullptr, {"round robin"}),
      number_or("ns-3 default", "seed", "", "of random marks, losses and paths", &P::seed, 1, 4294944442.0),
  };
}

std::vector<ParameterInfo> switch_rows() {
  return {
      flag("ENABLE_QCN", "switches mark packets", &P::enable_qcn, 1),
      number("KMIN 100G", "KB", "no marks below it; other rates in proportion", &P::kmin_100g_kb,
             {400, 300, 400, 400, 400, 400}, 0, 1e9),
      number("KMAX 100G", "KB", "always marks above it", &P::kmax_100g_kb,
             {1600, 300, 1600, 1600, 1600, 1600}, 0, 1e9),
      number("KMIN 400G", "KB", "", &P::kmin_400g_kb, {1600, 1200, 1600, 1600, 1600, 1600}, 0, 1e9),
      number("KMAX 400G", "KB", "", &P::kmax_400g_kb, {6400, 1200, 6400, 6400, 6400, 6400}, 0, 1e9),
      number("PMAX", "", "share marked just below KMAX", &P::pmax, {0.2, 1, 0.2, 0.2, 0.2, 0.2}, 0, 1),
      words("ECN marking", "by the queue left after the packet, or found by it", &P::marks_at_enqueue,
            {"at dequeue", "at enqueue"}),
      number("BUFFER_SIZE", "MiB", "of a switch, shared by its ports", &P::buffer_mib, 32, 1e-3, 1e6),
      flag("USE_DYNAMIC_PFC_THRESHOLD", "0: the threshold ignores what is in use", &P::dynamic_threshold, 1),
      number_or(
          "(buffer - sum headroom - sum reserve - shared_used) >> 3", "PFC threshold", "B",
          "of an ingress port and priority; the shift is one less for every doubling of the port's rate",
          &P::pfc_threshold_bytes, 0, any),
      number("PFC resume offset", "B", "below the threshold by so much", &P::resume_offset_bytes, 3072, 0,
             any),
      number("PFC reserve per port", "B", "", &P::reserve_bytes, 4096, 0, any),
      number_or("3*rate*delay/8", "PFC headroom per port", "B", "", &P::headroom_bytes, 0, any),
      words("PFC frame", "a pause holds until it is resumed", nullptr, {"on/off"}),
      words("ECMP", "choice among shortest paths", nullptr,
            {"hash of (src ip,dst ip,sport,dport), seed = switch node id"}),
      number("switch latency", "ns", "from the arrival of a packet to its place in the queue",
             &P::switch_latency_ns, 0, 0, 1e9),
      words("FLOW_CONTROL", "of links: pauses, credits, or losses", &P::flow_control,
            {"pfc", "credits", "none"}),
      number("CREDIT_BUFFER", "B", "of an ingress port and virtual lane, with credits", &P::credit_bytes,
             65536, 1, any),
      words("SWITCHING", "whether a packet leaves before its end has come", &P::switching,
            {"store-and-forward", "cut-through"}),
      words("ROUTING", "paths of flows that are given none", &P::routing,
            {"ecmp", "minimal", "spray", "adaptive", "valiant"}),
  };
}

}  // namespace

std::span<const ParameterInfo> parameter_table() {
  static const std::vector<ParameterInfo> table = [] {
    std::vector<ParameterInfo> rows = control_rows();
    for (auto& row : host_rows()) rows.push_back(std::move(row));
    for (auto& row : switch_rows()) rows.push_back(std::move(row));
    return rows;
  }();
  return table;
}

}  // namespace echo::packets
