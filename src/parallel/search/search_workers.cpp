#include "parallel/search/search_workers.hpp"

#include <exception>
#include <string>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/unforeseen.hpp"
#include "parallel/broadcast.hpp"
#include "search/serialize.hpp"

namespace echo::parallel {

using search::Node;
using search::Outcome;

namespace {

// Tasks i, i + workers, ... of a round; then every worker learns whether any of them failed.
std::vector<Outcome> own_share(const Mail& mail, std::span<const Node> tasks, const RunTask& run) {
  std::vector<Outcome> own;
  std::string failure;
  try {
    for (std::size_t i = at(mail.worker()); i < tasks.size(); i += at(mail.workers()))
      own.push_back(run(tasks[i]));
  } catch (const UserError& error) {
    failure = describe(error);
  } catch (const std::exception& error) {
    failure = describe(unforeseen(error));
  }
  mail.share_failure(failure);
  if (!failure.empty()) throw_described(failure);
  return own;
}

}  // namespace

std::vector<Outcome> run_round(const Mail& mail, std::span<const Node> tasks, const RunTask& run) {
  std::vector<Outcome> all(tasks.size());
  if (mail.workers() == 1) {
    for (std::size_t i = 0; i < tasks.size(); ++i) all[i] = run(tasks[i]);
    return all;
  }
  std::string bytes = to_archive(std::vector<Node>(tasks.begin(), tasks.end()));
  mail.broadcast_bytes(bytes);
  std::vector<Outcome> own = own_share(mail, tasks, run);
  for (int worker = 0; worker < mail.workers(); ++worker) {
    if (worker != mail.worker()) {
      mail.broadcast_bytes(bytes, worker);
      from_archive(bytes, own);
    } else {
      std::string nothing;  // the others have no use for it
      mail.broadcast_bytes(nothing, worker);
    }
    for (std::size_t i = 0; i < own.size(); ++i) all[i * at(mail.workers()) + at(worker)] = std::move(own[i]);
  }
  return all;
}

void serve_search(const Mail& mail, const RunTask& run) {
  for (;;) {
    std::string bytes;
    mail.broadcast_bytes(bytes);
    if (bytes.empty()) return;
    std::vector<Node> tasks;
    from_archive(bytes, tasks);
    const std::vector<Outcome> own = own_share(mail, tasks, run);
    for (int worker = 0; worker < mail.workers(); ++worker) {
      std::string part = worker == mail.worker() ? to_archive(own) : std::string();
      mail.broadcast_bytes(part, worker);
    }
  }
}

void end_search(const Mail& mail) {
  if (mail.workers() == 1) return;
  std::string nothing;
  mail.broadcast_bytes(nothing);
}

}  // namespace echo::parallel
