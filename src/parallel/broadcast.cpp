#include "parallel/broadcast.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace echo::parallel {

std::string describe(const UserError& error) {
  std::ostringstream out(std::ios::binary);
  boost::archive::binary_oarchive archive(out, boost::archive::no_header);
  const int code = error.exit_code();
  const std::size_t count = error.problems().size();
  archive << code << count;
  for (const Problem& p : error.problems()) {
    const auto severity = static_cast<std::int8_t>(p.severity);
    archive << p.place.file << p.place.line << p.place.column << p.place.length << p.what << p.remedy
            << severity;
  }
  return std::move(out).str();
}

void throw_described(const std::string& bytes) {
  std::istringstream in(bytes, std::ios::binary);
  boost::archive::binary_iarchive archive(in, boost::archive::no_header);
  int code = 1;
  std::size_t count = 0;
  archive >> code >> count;
  std::vector<Problem> problems(count);
  for (Problem& p : problems) {
    std::int8_t severity = 0;
    archive >> p.place.file >> p.place.line >> p.place.column >> p.place.length >> p.what >> p.remedy >>
        severity;
    p.severity = static_cast<Problem::Severity>(severity);
  }
  throw UserError(std::move(problems), code);
}

}  // namespace echo::parallel
