// Broadcasts values of worker 0 to all workers, as Boost binary archives. Failures are broadcast too: no
// worker waits for a missing value, and all stop with the same exit code.
#pragma once

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <exception>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/plain_archive.hpp"
#include "base/unforeseen.hpp"
#include "parallel/platform/mail.hpp"

namespace echo::parallel {

template <class T>
[[nodiscard]] std::string to_archive(const T& value) {
  std::ostringstream out(std::ios::binary);
  boost::archive::binary_oarchive archive(out, boost::archive::no_header);
  archive << value;
  return std::move(out).str();
}

template <class T>
void from_archive(const std::string& bytes, T& value) {
  std::istringstream in(bytes, std::ios::binary);
  boost::archive::binary_iarchive archive(in, boost::archive::no_header);
  archive >> value;
}

template <class T>
void broadcast(const Mail& mail, T& value) {
  if (mail.workers() == 1) return;
  std::string bytes = mail.is_first() ? to_archive(value) : std::string();
  mail.broadcast_bytes(bytes);
  if (!mail.is_first()) from_archive(bytes, value);
}

// How worker 0 fared, as text; empty = well.
[[nodiscard]] std::string describe(const UserError&);
[[noreturn]] void throw_described(const std::string& bytes);  // the same UserError again

// Runs `make` on worker 0 only and returns its value on every worker. When it throws, every worker throws a
// UserError: the same one, or what unforeseen() makes of another exception. Collective.
template <class Make>
auto from_first_worker(const Mail& mail, Make make) -> decltype(make()) {
  std::optional<decltype(make())> value;
  std::string failure;
  if (mail.is_first()) {
    try {
      value.emplace(make());
    } catch (const UserError& error) {
      failure = describe(error);
    } catch (const std::exception& error) {
      failure = describe(unforeseen(error));
    }
  }
  mail.wait_for_all();
  mail.broadcast_bytes(failure);
  if (!failure.empty()) throw_described(failure);
  if (!mail.is_first()) value.emplace();
  broadcast(mail, *value);
  return std::move(*value);
}

}  // namespace echo::parallel
