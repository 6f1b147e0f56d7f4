// One bad point must not keep a sweep from finishing, and one bad node must not condemn good points.
//
// A worker that died with a fatal signal (SEGV, BUS, FPE, ILL, ABRT) died because of its work: the point in
// its page is poisoned at once. A worker that vanished without a message (SIGKILL: out of memory, an
// impatient user, a lost node) may have been anywhere: its point becomes a suspect. Suspects are tried when
// all else is done, one at a time on all workers together, so that a death among them accuses one point
// only; at the third death it is poisoned too. A worker that was asked to end (SIGTERM) before it was
// killed, as launchers do to the companions of a dead one, is weak evidence: its point counts a death, but
// is no suspect until the second.
//
// Can random kills quarantine an innocent point? They would have to hit it three times. After the first it
// runs in the suspects' phase only, alone, for its own time t of a launch that lasts T: a kill at a random
// instant hits it with probability t / T, two more with (t / T)^2: 10^-8 for a millisecond in ten seconds.
//
// Neglected: a node that loses power may lose the page's last store (it is in that node's page cache), and
// then the point is simply tried again.
#include "parallel/launch/quarantine.hpp"

#include <csignal>
#include <map>
#include <set>

#include "parallel/journal/claim_page.hpp"

namespace echo::parallel {
namespace {

bool is_fatal(int signal) { return signal != 0 && signal != SIGTERM; }

std::vector<Claim> claims_of(const std::filesystem::path& folder, const std::string& sweep_key, Disk& disk) {
  std::vector<Claim> claims;
  const auto names = disk.files(folder);
  if (names.error != 0) return claims;
  for (const std::string& name : *names.it) {
    if (!name.ends_with(".claim")) continue;
    const auto claim = read_claim(folder / name, disk);
    if (claim && claim->sweep_key == sweep_key && claim->point != no_point) claims.push_back(*claim);
  }
  return claims;
}

// The record of one point.
struct Record {
  int deaths = 0;
  bool vanished = false;         // a worker was gone without a word
  const Claim* crash = nullptr;  // the earliest that saw a fatal signal
  std::set<std::int32_t> launches;
};

std::string reason_of(const Record& record) {
  if (record.crash != nullptr)
    return "killed its process with signal " + std::to_string(record.crash->signal) + " (launch " +
           std::to_string(record.crash->launch) + ", worker " + std::to_string(record.crash->worker) + ")";
  std::string launches;
  for (const std::int32_t launch : record.launches)
    launches += (launches.empty() ? "" : ", ") + std::to_string(launch);
  return "was in hand " + std::to_string(record.deaths) + " times when its process was killed (launches " +
         launches + ")";
}

}  // namespace

Quarantine find_quarantine(const std::filesystem::path& folder, const std::string& sweep_key,
                           const IdSet& done, std::span<const results::Failure> told, Disk& disk) {
  const std::vector<Claim> claims = claims_of(folder, sweep_key, disk);
  std::map<sweep::PointIndex, std::int32_t> told_in;  // the last launch
  for (const auto& failure : told) told_in.emplace(failure.id, -1).first->second = failure.launch;
  std::set<std::int32_t> crashed_launches;
  for (const Claim& claim : claims)
    if (is_fatal(claim.signal)) crashed_launches.insert(claim.launch);

  std::map<sweep::PointIndex, Record> records;
  for (const Claim& claim : claims) {
    const auto earlier = told_in.find(claim.point);
    if (done.contains(claim.point) || (earlier != told_in.end() && claim.launch < earlier->second)) continue;
    Record& record = records[claim.point];
    ++record.deaths;
    record.launches.insert(claim.launch);
    if (is_fatal(claim.signal)) {
      if (record.crash == nullptr || claim.launch < record.crash->launch) record.crash = &claim;
    } else if (claim.signal == 0 && !crashed_launches.contains(claim.launch)) {
      record.vanished = true;
    }
  }

  Quarantine found;
  for (const auto& [point, record] : records) {
    if (record.crash != nullptr || record.deaths >= deaths_to_poison)
      found.poisoned.push_back({point, reason_of(record)});
    else if (record.vanished || record.deaths > 1)
      found.suspects.push_back(point);
  }
  return found;
}

}  // namespace echo::parallel
